/** The file of a saved plan: readable by its owner only, and never containing the API key. */

import { defined } from '../../base/optional.ts';
import { brokenRules } from '../../policy/broken-rules.ts';
import { type Judgement, judgementDocument } from '../../policy/finding.ts';
import type { Plan } from '../../posthog/plan.ts';
import { planDocument, type PlanExtras } from '../../posthog/planning/plan-document.ts';
import { brokenRuleDocuments } from '../../report/formats/json/findings.ts';
import { jsonText } from '../../report/formats/json/seal.ts';
import { PRIVATE_MODE, writeDocument } from '../session/files.ts';
import { ignoreFile } from '../session/ignore-file.ts';
import type { Session } from '../session/session.ts';

export async function savePlan(
  session: Session,
  { plan, judgement, ...extras }: { readonly plan: Plan; readonly judgement?: Judgement } & PlanExtras,
  file: string,
): Promise<void> {
  const policy = judgement === undefined ? {} : { policy: judgementDocument(judgement) };
  const broken = brokenRules({ ...plan, ...defined({ findings: judgement?.findings }) });
  const rules = { broken_rules: brokenRuleDocuments(broken) };
  const text = jsonText({ ...planDocument(plan, extras), ...policy, ...rules });
  session.secrets.refuse(text, {
    message: 'The plan was not saved: it would contain the API key.',
    source: 'the manifests and of the live flags',
  });
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
  await ignoreFile(session, file);
}
