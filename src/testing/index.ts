/** `flagwright/testing`: what declared flags answer, for the tests of the code that reads them. docs/testing-code.md shows its use. */

export { loadFlags } from './load-flags.ts';
export type {
  Answer,
  Answers,
  Bootstrap,
  DeclaredFlags,
  LoadFlagsOptions,
  TestPerson,
  TestGroup,
  PostHogClass,
  UndecidedAnswer,
} from './api.ts';
export type { JsonValue } from '../base/json.ts';
export type { FlagValue } from '../evaluation/input.ts';
export type { Place } from '../base/place.ts';
