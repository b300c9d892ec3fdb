/** Every command, in the order of the help. What a command runs is loaded when it runs. */

import type { CommandDeclaration, AllCommands } from '../line/command.ts';
import type { Execute } from '../session/session.ts';
import { ACCEPT } from './accept.ts';
import { APPLY } from './apply.ts';
import { completionOf } from './completion.ts';
import { DOCTOR } from './doctor.ts';
import { DRIFT } from './drift.ts';
import { EXPLAIN } from './explain.ts';
import { EXPORT } from './export.ts';
import { GENERATE } from './generate.ts';
import { loadGroups } from './groups.ts';
import { HISTORY } from './history.ts';
import { INIT } from './init.ts';
import { OFF } from './off.ts';
import { PARITY } from './parity.ts';
import { PLAN } from './plan.ts';
import { PROMOTE } from './promote.ts';
import { REFS } from './refs.ts';
import { REHEARSE } from './rehearse.ts';
import { SERVE } from './serve.ts';
import { SHOW } from './show.ts';
import { SNAPSHOT } from './snapshot.ts';
import { STALE } from './stale.ts';
import { TEST } from './test.ts';
import { UNDO } from './undo.ts';
import { VALIDATE } from './validate.ts';

const COMMANDS: readonly CommandDeclaration<Execute>[] = [
  INIT,
  VALIDATE,
  TEST,
  PLAN,
  SHOW,
  SNAPSHOT,
  APPLY,
  OFF,
  UNDO,
  HISTORY,
  DRIFT,
  EXPORT,
  ACCEPT,
  PROMOTE,
  PARITY,
  EXPLAIN,
  GENERATE,
  REFS,
  STALE,
  REHEARSE,
  DOCTOR,
  SERVE,
  completionOf(allCommands),
];

/** The commands of a group are known if the arguments name the group. */
export async function allCommands(argv: readonly string[]): Promise<AllCommands<Execute>> {
  return { commands: COMMANDS, groups: await loadGroups(argv) };
}
