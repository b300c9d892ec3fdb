/** Remarks as a SARIF log of one run, with where each rule is described. */

import type { JsonObject } from '../../../base/json.ts';
import { indentedJson } from '../json/seal.ts';
import { fingerprintsOf, listed } from '../remarks/listed.ts';
import type { RemarkList } from '../remarks/forms.ts';
import { messageText, nameOfRule, type Remark, type RemarkFamily } from '../../model/remarks/remark.ts';
import { placeOfNothing, type View } from '../../view.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function sarifLog(list: RemarkList, view: View): string {
  const remarks = listed(list.remarks);
  // The first remark of each rule, by its name.
  const rules = new Map<string, Remark>();
  for (const remark of remarks) {
    const name = nameOfRule(remark);
    if (!rules.has(name)) rules.set(name, remark);
  }
  return indentedJson({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'flagwright',
            rules: [...rules.values()].map(ruleDocument),
          },
        },
        automationDetails: { id: categoryOf(list) },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: !list.isFailure }],
        results: resultsOf(remarks, [...rules.keys()], view),
      },
    ],
  });
}

/** A service replaces the earlier results of the same category, so each project has its own. It ends with a slash. */
function categoryOf({ command = 'failure', project }: RemarkList): string {
  return ['flagwright', command, ...(project === undefined ? [] : [encodeURIComponent(project)]), ''].join('/');
}

function resultsOf(remarks: readonly Remark[], rules: readonly string[], view: View): JsonObject[] {
  const fingerprints = fingerprintsOf(remarks);
  return remarks.map((remark, index) => {
    const rule = nameOfRule(remark);
    return {
      ruleId: rule,
      ruleIndex: rules.indexOf(rule),
      level: remark.level,
      message: { text: withoutLinks(messageText(remark)) },
      locations: [locationOf(remark, view)],
      partialFingerprints: { 'flagwright/v1': fingerprints[index] ?? '' },
      ...(remark.impact === undefined ? {} : { properties: { impact: remark.impact.lines } }),
    };
  });
}

/** A message may contain links, `[words](address)`: a string of others must not make one. */
function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Code scanning of GitHub refuses a result without a line. */
function locationOf({ place: known, name }: Remark, view: View): JsonObject {
  const place = known ?? placeOfNothing(view);
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(place.file) },
      region: { startLine: place.line, startColumn: place.column },
    },
    ...(name === undefined ? {} : { logicalLocations: [{ name, kind: 'resource' }] }),
  };
}

/** A relative one: a file outside of the repository has `..` in it. */
function uriOf(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}

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
  refs: { what: 'A flag that code reads, or does not read', page: 'references' },
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
