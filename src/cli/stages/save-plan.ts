/** The file of a saved plan: readable by its owner only, and never containing the API key. */

import { planDocument, type BesidePlan } from '../../posthog/plan-document.ts';
import { judgementDocument } from '../../policy/document.ts';
import type { Judgement } from '../../policy/finding.ts';
import type { Plan } from '../../posthog/plan.ts';
import { jsonText } from '../../report/formats/json/seal.ts';
import { PRIVATE_MODE, writeDocument } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export async function savePlan(
  session: Session,
  { plan, judgement, ...beside }: { readonly plan: Plan; readonly judgement?: Judgement } & BesidePlan,
  file: string,
): Promise<void> {
  const policy = judgement === undefined ? {} : { policy: judgementDocument(judgement) };
  const text = jsonText({ ...planDocument(plan, beside), ...policy });
  session.secrets.refuse(text, {
    message: 'The plan was not saved: it would contain the API key.',
    source: 'the manifests and of the live flags',
  });
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
}
