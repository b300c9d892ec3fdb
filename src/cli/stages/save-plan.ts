/** Saves a plan as a file for `apply`: readable by its owner only, and never containing the API key. */

import type { Forecast } from '../../engine/forecast.ts';
import { planDocument } from '../../posthog/plan-document.ts';
import type { Plan } from '../../posthog/plan.ts';
import { jsonText } from '../../report/formats/json/seal.ts';
import { PRIVATE_MODE, writeDocument } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export async function savePlan(
  session: Session,
  { plan, forecast }: { readonly plan: Plan; readonly forecast: Forecast },
  file: string,
): Promise<void> {
  const text = jsonText(planDocument(plan, forecast));
  session.secrets.refuse(text, {
    message: 'The plan was not saved: it would contain the API key.',
    source: 'the manifests and of the live flags',
  });
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
}
