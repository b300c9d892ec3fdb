/** An early access feature in the shape of the service's interface (docs/service.md, "Early access features"). */

import type { JsonObject, JsonValue } from '../../base/json.ts';

/** What people can enrol in before everybody gets it. Fields that are not named here are kept as they came. */
export interface EarlyAccessFeature extends JsonObject {
  /** A UUID. */
  readonly id: string;
  /** Need not be unique. */
  readonly name: string;
  readonly description?: string | null;
  readonly stage: string;
  readonly documentation_url?: string | null;
  readonly payload?: JsonValue;
  /** The flag that it offers, in a short form; null once the flag was removed. */
  readonly feature_flag?: JsonObject | null;
}

/** The stages of early access features, in the order of a release. */

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;
