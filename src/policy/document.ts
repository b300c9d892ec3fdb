/** The judgement of a plan by the policies, as the member `policy` of its document. The plan's fingerprint does not cover it. */

import type { JsonObject } from '../base/json.ts';
import type { Finding, Judgement } from './finding.ts';

/** `wordOf`: the members added to the facts of a finding. */
export function judgementDocument(
  { source, findings, idle }: Judgement,
  wordOf: (finding: Finding) => JsonObject = () => ({}),
): JsonObject {
  return {
    source: { ...source },
    findings: findings.map((finding) => ({ ...(finding as unknown as JsonObject), ...wordOf(finding) })),
    idle_waivers: idle.map((waiver) => ({ ...waiver, source: { ...waiver.source } })),
  };
}

/** `document`: the member as the schema of plans has it. */
export function parseJudgement(document: JsonObject): Judgement {
  const {
    source,
    findings,
    idle_waivers: idle,
  } = document as unknown as Pick<Judgement, 'source' | 'findings'> & {
    readonly idle_waivers: Judgement['idle'];
  };
  return { source, findings, idle };
}
