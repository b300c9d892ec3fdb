/** Every command as a function of a session. Its module is loaded when it runs. */

import type { Commands, KnownCommands } from '../line/commands.ts';
import type { Choose } from '../session/session.ts';
import { loadGroups } from './groups.ts';

/** The commands of a group are known if the arguments name the group. */
export async function knownCommands(argv: readonly string[]): Promise<(choose: Choose) => KnownCommands> {
  const groups = await loadGroups(argv);
  return (choose) => ({ commands: commandsFor(choose), groups: groups(choose) });
}

function commandsFor(choose: Choose): Commands {
  return {
    init: (options) => choose(async (session) => (await import('./init.ts')).init(session, options)),
    validate: (files, options) =>
      choose(async (session) => (await import('./validate.ts')).validate(session, files, options)),
    test: (files, options) => choose(async (session) => (await import('./test.ts')).test(session, files, options)),
    plan: (options) => choose(async (session) => (await import('./plan.ts')).plan(session, options)),
    show: (file) => choose(async (session) => (await import('./show.ts')).show(session, file)),
    snapshot: (options) => choose(async (session) => (await import('./snapshot.ts')).snapshot(session, options)),
    apply: (file, options) => choose(async (session) => (await import('./apply.ts')).apply(session, file, options)),
    undo: (run, options) => choose(async (session) => (await import('./undo.ts')).undo(session, run, options)),
    history: (run, options) => choose(async (session) => (await import('./history.ts')).history(session, run, options)),
    drift: (options) => choose(async (session) => (await import('./drift.ts')).drift(session, options)),
    export: (options) => choose(async (session) => (await import('./export.ts')).exportFlags(session, options)),
    accept: (keys, options) => choose(async (session) => (await import('./accept.ts')).accept(session, keys, options)),
    promote: (keys, options) =>
      choose(async (session) => (await import('./promote.ts')).promote(session, keys, options)),
    explain: (name, options) =>
      choose(async (session) => (await import('./explain.ts')).explain(session, name, options)),
    parity: (options) => choose(async (session) => (await import('./parity.ts')).parity(session, options)),
    serve: (options) => choose(async (session) => (await import('./serve.ts')).serve(session, options)),
    completion: (target, words) =>
      choose(async (session) => {
        const { completion } = await import('./completion.ts');
        return completion(session, { target, words, knownCommands });
      }),
  };
}
