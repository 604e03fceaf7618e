import type { Catalog } from '../catalog/catalog.ts';
import type { PinMode, ToolPin } from '../catalog/pins/pin.ts';
import { ALL_TOOLS, type ProfileOptions, type Profiles } from '../catalog/profiles/profile.ts';
import { ToolwrightError } from '../errors.ts';

/** The pins of all tools: which definitions are accepted, and which are in quarantine. See `docs/pinning.md`. */
export interface ToolPins {
  /** What happens to tools in quarantine: `off`, `warn` or `block`. */
  readonly mode: PinMode;
  /** Returns the tools that the servers list now, ordered by id. Waits `waitMs` at most for them, 2,000 by default. */
  list(options?: ProfileOptions & { readonly waitMs?: number }): Promise<readonly ToolPin[]>;
  /** Accepts the definitions that the servers list now. Returns their pins. Raises `UNKNOWN_TOOL`. */
  approve(ids: readonly string[]): Promise<readonly ToolPin[]>;
}

const WAIT_MS = 2_000;

/** Creates the pins of a Toolwright. Raises `CONFIG_INVALID` for approvals without pinning. */
export function createToolPins({ load, pins }: Catalog, mode: PinMode, profiles: Profiles): ToolPins {
  return {
    mode,
    async list({ waitMs = WAIT_MS, profile: name = ALL_TOOLS } = {}) {
      const profile = profiles.find(name);
      await load({ waitMs });
      const all = (await pins?.list()) ?? [];
      return profile ? all.filter(profile.has) : all;
    },
    async approve(ids) {
      if (pins) return pins.approve(ids);
      throw new ToolwrightError('CONFIG_INVALID', 'Pinning is off ("pin": "off"), so there are no pins to approve.');
    },
  };
}
