/** The description of an operation in the document, other than its path. */

import type { Profile } from '../handler/profile.ts';

/** The name of a schema for each status; null for no body. */
type AnswerDescriptions = Readonly<Record<number, string | null>>;

export interface OperationDescription {
  readonly summary: string;
  /** Names of query parameters. */
  readonly query?: readonly string[];
  /** Names of query parameters without which the request is refused. */
  readonly required?: readonly string[];
  /** The name of a schema. */
  readonly body?: string;
  /** Whether the request is also accepted without a body. */
  readonly isBodyOptional?: true;
  /** The name of the schema of refusals; default: the envelope. */
  readonly refusal?: string;
  readonly answers: AnswerDescriptions | Readonly<Record<Profile, AnswerDescriptions>>;
}
