/** What a method of a path does, and its name. */

import type { Handler } from './call.ts';
import type { Profile } from './profile.ts';

export interface Operation {
  /** The name in the service's description of itself. */
  readonly id: string;
  readonly handler: Handler;
  /** The only profile that has it; absent: both. */
  readonly profile?: Profile;
}

export type Methods = Readonly<Record<string, Operation>>;
