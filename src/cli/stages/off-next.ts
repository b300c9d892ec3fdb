/** What a run of `off` ends with: how to keep what it did, and how to revert it. */

import type { ApplyResult } from '../../apply/result.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import { escapeWholeLine } from '../../report/escape.ts';
import { shellWord } from '../../report/words/ways-out.ts';
import { runCommand } from '../runs/run-command.ts';
import type { Session } from '../session/session.ts';
import type { LoadedProject } from './load-project.ts';

interface Done {
  readonly result: ApplyResult;
  /** Absent: it was not recorded. */
  readonly run?: string;
  /** What the run was made of. */
  readonly live: LiveState;
}

export async function sayNext(session: Session, loaded: LoadedProject, { result, run, live }: Done): Promise<void> {
  const keys = result.changes.flatMap(({ change, result: { outcome } }) => (outcome === 'applied' ? [change.key] : []));
  if (keys.length === 0) return;
  const { name } = loaded.project;
  const [words, project] = [keys.map(shellWord).join(' '), shellWord(name)];
  const off = turnedOff({ result, live });
  const preview = await tryPreview(loaded, off);
  // Other edits of the flags may be no part of it.
  const only = off.length === keys.length ? ' --only active' : '';
  const lines = [
    `Until it is kept or reverted, drift reports it${run === undefined ? '' : ', and apply refuses to take it back'}.`,
    'To keep it, take it over into the manifests:',
    `  flagwright accept ${words}${only} -p ${project}`,
    ...preview.map((line) => `    ${escapeWholeLine(line)}`),
    'To revert it:',
    ...(run === undefined ? [] : [`  ${runCommand(session, `undo ${run}`, name)}`]),
    `  flagwright apply --target ${words} --override ${words} -p ${project}`,
  ];
  await session.note(`\n${lines.join('\n')}\n`);
}

/** The flags are off: what fails here only leaves something unsaid. */
async function tryPreview(loaded: LoadedProject, flags: readonly Flag[]): Promise<readonly string[]> {
  if (flags.length === 0) return [];
  try {
    return await (await import('./off-preview.ts')).previewAccept(loaded, flags);
  } catch {
    return [];
  }
}

/** As they are live now, without those that stay enabled for nobody. */
function turnedOff({ result, live }: Pick<Done, 'result' | 'live'>): readonly Flag[] {
  const ids = new Set(
    result.changes.flatMap(({ change, result: { outcome } }) =>
      outcome === 'applied' && 'body' in change && change.body['active'] === false ? [change.id] : [],
    ),
  );
  return live.flags.filter(({ id }) => ids.has(id)).map((flag) => ({ ...flag, active: false }));
}
