/** How plans name the flags and other resources that flags refer to. */

import type { Names } from '../../engine/snapshot.ts';

export interface FlagNames extends Names {
  /** Secret payloads of live flags are digests already. A live payload of a service that looks like a digest is none. */
  readonly hasPayloadDigests?: true;
  /** The id of a cohort that a plan names by alias; `undefined` while the plan is still to create it. */
  readonly cohortIdOf?: (alias: string) => number | undefined;
}
