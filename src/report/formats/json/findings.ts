/** What the policies find, with the sentence of each finding (`policy` in schemas/plan.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { judgementDocument } from '../../../policy/document.ts';
import type { Finding, Judgement } from '../../../policy/finding.ts';
import { findingText } from '../../words/findings.ts';

export function policyMember(judgement: Judgement | undefined): { readonly policy?: JsonObject } {
  return judgement === undefined ? {} : { policy: judgementOf(judgement) };
}

export function judgementOf(judgement: Judgement): JsonObject {
  return judgementDocument(judgement, textOf);
}

export function findingDocument(finding: Finding): JsonObject {
  return { ...(finding as unknown as JsonObject), ...textOf(finding) };
}

function textOf(finding: Finding): JsonObject {
  return { text: findingText(finding) };
}
