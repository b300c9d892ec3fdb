/** The file of a saved plan: readable by its owner only, and never containing the API key. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { planDocument, type BesidePlan } from '../../posthog/plan-document.ts';
import type { Plan } from '../../posthog/plan.ts';
import { jsonText } from '../../report/formats/json/seal.ts';
import { fileError, PRIVATE_MODE, writeDocument } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export async function savePlan(
  session: Session,
  { plan, ...beside }: { readonly plan: Plan } & BesidePlan,
  file: string,
): Promise<void> {
  const text = jsonText(planDocument(plan, beside));
  session.secrets.refuse(text, {
    message: 'The plan was not saved: it would contain the API key.',
    source: 'the manifests and of the live flags',
  });
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
}

/** The file is relative to the working directory. */
export async function readPlanText({ context }: Pick<Session, 'context'>, file: string): Promise<string> {
  return readFile(path.resolve(context.cwd, file), 'utf8').catch((cause: unknown) => {
    throw fileError('read', file, cause);
  });
}
