import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { searchOf } from './events/filter.ts';
import { ExecutionList } from './executions/list.tsx';
import { Empty, Loading } from './parts/states.tsx';
import { timeRangeOf } from './parts/time/time-range.ts';
import { Unloaded } from './parts/unloaded.tsx';
import { platform } from './platforms/current.ts';
import { Shell } from './shell.tsx';

/** A screen that loads faster appears without grey lines before it. */
const PENDING_MS = 150;

const root = createRootRoute({
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
  notFoundComponent: () => <Empty title="There is no such page">Choose a screen in the menu.</Empty>,
});
const toList = () => {
  throw redirect({ to: '/ui/executions', search: {} });
};
const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);
const optional = <N extends string>(given: Readonly<Record<string, unknown>>, ...names: readonly N[]) =>
  Object.fromEntries(names.flatMap((name) => (text(given[name]) === undefined ? [] : [[name, text(given[name])]]))) as {
    readonly [name in N]?: string;
  };

const executions = createRoute({
  getParentRoute: () => root,
  path: '/ui/executions',
  validateSearch: searchOf,
  component: ExecutionList,
});
const execution = createRoute({
  getParentRoute: () => root,
  path: '/ui/executions/$id',
  validateSearch: (given: Readonly<Record<string, unknown>>) => optional(given, 'call', 'tab', 'userId', 'with'),
  component: lazyRouteComponent(() => import('./executions/detail.tsx'), 'ExecutionDetail'),
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: '/ui/approvals',
  validateSearch: (given: Readonly<Record<string, unknown>>) => optional(given, 'executionId', 'call', 'tool'),
  component: lazyRouteComponent(() => import('./approvals/queue.tsx'), 'ApprovalQueue'),
});
const overview = createRoute({
  getParentRoute: () => root,
  path: '/ui/overview',
  validateSearch: (given: Readonly<Record<string, unknown>>) => ({
    ...timeRangeOf(given),
    ...optional(given, 'userId'),
  }),
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'Overview'),
});
const servers = createRoute({
  getParentRoute: () => root,
  path: '/ui/servers',
  validateSearch: (given: Readonly<Record<string, unknown>>) => optional(given, 'q', 'tab', 'tool'),
  component: lazyRouteComponent(() => import('./servers/servers.tsx'), 'Servers'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/ui/sessions',
  component: lazyRouteComponent(() => import('./sessions/list.tsx'), 'SessionList'),
});
const session = createRoute({
  getParentRoute: () => root,
  path: '/ui/sessions/$id',
  validateSearch: (given: Readonly<Record<string, unknown>>) => optional(given, 'tab', 'userId', 'file'),
  component: lazyRouteComponent(() => import('./sessions/session.tsx'), 'SessionDetail'),
});
const pluginPage = createRoute({
  getParentRoute: () => root,
  path: '/ui/pages/$page',
  component: lazyRouteComponent(() => import('./pages/list.tsx'), 'PluginPage'),
});
const graph = createRoute({
  getParentRoute: () => root,
  path: '/ui/pages/$page/$id/$call',
  validateSearch: (given: Readonly<Record<string, unknown>>) => optional(given, 'node', 'userId'),
  component: lazyRouteComponent(() => import('./pages/detail.tsx'), 'GraphDetail'),
});
const skills = createRoute({
  getParentRoute: () => root,
  path: '/ui/skills',
  validateSearch: (given: Readonly<Record<string, unknown>>) => optional(given, 'name', 'version'),
  component: lazyRouteComponent(() => import('./skills/skills.tsx'), 'Skills'),
});

/** The screens by their paths. The API has paths such as `/executions`, so that those of the screens begin with `/ui`. */
export const router = createRouter({
  routeTree: root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/', beforeLoad: toList }),
    createRoute({ getParentRoute: () => root, path: '/ui', beforeLoad: toList }),
    ...[executions, execution, approvals, overview, servers, sessions, session, pluginPage, graph, skills],
  ]),
  basepath: platform.basePath,
  history: platform.history,
  defaultErrorComponent: ({ error, reset }) => (
    <Unloaded title="This screen failed" label="" error={error} retry={platform.reload ?? reset} />
  ),
  // The code of a screen is loaded when the screen is opened.
  defaultPendingComponent: () => <Loading label="Loading the screen" />,
  defaultPendingMs: PENDING_MS,
  defaultPreload: 'intent',
  // A number in a search is a text: ids may look like numbers.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
    return query === '' ? '' : `?${query}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
