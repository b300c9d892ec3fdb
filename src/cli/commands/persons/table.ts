/** `flagwright persons …`: all commands on persons, in the order of help. */

import type { ResourceGroup } from '../../resources/command.ts';
import { PERSON_ANALYSES } from './analyses.ts';
import { PERSON_INSIGHTS } from './insights.ts';
import { PERSON_READS } from './reads.ts';
import { PERSON_WRITES } from './writes.ts';

export const PERSON_COMMANDS: ResourceGroup = {
  scope: 'person',
  // docs/service.md, "Persons": a budget of their own.
  requestsPerMinute: 240,
  elsewhere: {},
  commands: [...PERSON_READS, ...PERSON_WRITES, ...PERSON_INSIGHTS, ...PERSON_ANALYSES],
};
