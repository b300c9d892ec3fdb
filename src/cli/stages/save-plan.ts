/** Saves a plan as a file for `apply`: readable by its owner only, and never with the API key in it. */

import type { JsonObject } from '../../base/json.ts';
import { jsonText } from '../../report/formats/json/write.ts';
import { PRIVATE_MODE, writeDocument } from '../session/files.ts';
import type { Session } from '../session/session.ts';

/** `document`: of the plan. */
export async function savePlan(session: Session, document: JsonObject, file: string): Promise<void> {
  const text = jsonText(document);
  session.secrets.refuse(text, {
    message: 'The plan was not saved: it would contain the API key.',
    source: 'the manifests and of the live flags',
  });
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
}
