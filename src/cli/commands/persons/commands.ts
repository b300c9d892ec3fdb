/** `flagwright persons …`: all person commands, in the order of the help. */

import type { ResourceGroup } from '../../resources/command.ts';
import { PERSON_ANALYSES, PERSON_INSIGHTS } from './analyses.ts';
import { PERSON_READS, PERSON_WRITES } from './records.ts';

export const PERSON_COMMANDS: ResourceGroup = {
  scope: 'person',
  // Persons have a budget of their own (docs/service.md, "Persons").
  requestsPerMinute: 240,
  elsewhere: {},
  commands: [...PERSON_READS, ...PERSON_WRITES, ...PERSON_INSIGHTS, ...PERSON_ANALYSES],
};
