/** Saves a plan as a file for `apply`: readable by its owner only, and never with the API key in it. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { jsonText } from '../../report/formats/json/write.ts';
import { PRIVATE_MODE, writeDocument } from '../session/files.ts';
import type { Session } from '../session/session.ts';

/** `document`: of the plan. */
export async function savePlan(session: Session, document: JsonObject, file: string): Promise<void> {
  const text = jsonText(document);
  if (session.secrets.redact(text) !== text) {
    throw new FlagwrightError('refused', 'The plan was not saved: it would hold the API key itself.', {
      remedy: 'Look for the key in descriptions and payloads of the manifests and of the live flags, and replace it.',
    });
  }
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
}
