/** What SARIF says of each rule: where it is described. */

import type { JsonObject } from '../../../base/json.ts';
import { nameOfRule, type Remark, type RemarkFamily } from '../../model/remarks/remark.ts';

/** `what`: precedes the name of the rule. */
const FAMILIES: Readonly<Record<RemarkFamily, { readonly what: string; readonly page: string }>> = {
  problem: { what: 'A problem of the manifests or the configuration', page: 'diagnostics' },
  failure: { what: 'A failure of the run', page: 'commands' },
  hazard: { what: 'A safety rule that the plan breaks', page: 'safety' },
  policy: { what: 'A policy about changes', page: 'policies' },
  effect: { what: 'A change, by the class of what it does to people', page: 'effects' },
  warning: { what: 'A warning of the plan', page: 'commands' },
  drift: { what: 'A live value that differs from the manifests', page: 'three-way' },
  outcome: { what: 'A change that was not applied', page: 'commands' },
  remainder: { what: 'A value that still differs after the apply', page: 'commands' },
  undo: { what: 'A change that cannot be undone', page: 'commands' },
  report: { what: 'About the report itself', page: 'reports' },
  test: { what: 'An expectation that does not hold', page: 'testing' },
};

export function ruleDocument({ family, rule, level }: Remark): JsonObject {
  const { what, page } = FAMILIES[family];
  return {
    id: nameOfRule({ family, rule }),
    shortDescription: { text: `${what}: ${rule}` },
    fullDescription: { text: `${what}: ${rule}` },
    help: { text: `The documentation of flagwright describes it in docs/${page}.md.` },
    defaultConfiguration: { level },
  };
}
