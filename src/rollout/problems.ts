/** The problems of rollouts in manifests. */

import type { NoArgs } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';

export interface RolloutProblems {
  /** A day that no calendar has. */
  'step-time-invalid': { readonly time: string };
  'steps-out-of-order': { readonly same: boolean };
  /** Closer than rollouts are looked at; both in seconds. */
  'steps-too-close': { readonly seconds: number; readonly every: number };
  /** Nothing of the rollout was applied to the project. */
  'steps-passed': { readonly project: string };
  /** Nobody can have made a step whose time is still to come. */
  'step-done-ahead': { readonly time: string };
  'step-changes-nothing': { readonly value: JsonValue };
  /** The manifests are resolved without a time. */
  'rollout-time-unknown': NoArgs;
}
