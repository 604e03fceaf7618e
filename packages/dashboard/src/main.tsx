import './app/nonce.ts';
import './styles.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from './api/problem.ts';
import { Gate } from './app/gate.tsx';
import { LiveUpdates } from './events/live.tsx';
import { Notices } from './parts/notice.tsx';
import { showTheme } from './platforms/preferences.ts';
import { router } from './router.tsx';

const MAX_RETRIES = 2;
/** A session that has ended leads to the login. */
const onError = (error: unknown) => {
  if (Problem.from(error).status === 401) void client.invalidateQueries({ queryKey: ['session'] });
};
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError: (error, _sent, _result, { options }) => {
      if (options.mutationKey?.[0] !== 'login') onError(error);
    },
  }),
  defaultOptions: {
    queries: {
      // The stream of changes says what is old.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => {
        const { status } = Problem.from(error);
        return failures < MAX_RETRIES && (status === 0 || status === 503);
      },
    },
  },
});

showTheme();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Notices>
          <Gate>
            <LiveUpdates>
              <RouterProvider router={router} />
            </LiveUpdates>
          </Gate>
        </Notices>
      </QueryClientProvider>
    </StrictMode>,
  );
