/** The end of a run that has nothing to do: a document still, and exit code 0. */

import type { ApplyResult } from '../../apply/result.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { resultDocument } from '../../report/formats/json/documents.ts';
import { projectLine } from '../../report/formats/text/plan.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';

export async function nothingToDo(
  session: Session,
  { identity, words }: { readonly identity: ProjectIdentity; readonly words: string },
): Promise<ExitCode> {
  const summary = { create: 0, update: 0, delete: 0, restore: 0, grant: 0, revoke: 0, unchanged: 0, unmanaged: 0 };
  const result: ApplyResult = {
    project: identity,
    summary,
    outcomes: { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 },
    changes: [],
    remainder: [],
    verified: false,
    requests: 0,
  };
  await session.publish({
    text: (palette) => `${projectLine(words, { project: identity }, palette)}\n`,
    json: () => resultDocument(result),
  });
  return 0;
}
