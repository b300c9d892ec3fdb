/** Remarks as a SARIF log of one run. */

import type { JsonObject } from '../../../base/json.ts';
import { indentedJson } from '../json/seal.ts';
import { fingerprintsOf } from '../remarks/fingerprints.ts';
import { listed } from '../remarks/listed.ts';
import type { RemarkList } from '../remarks/forms.ts';
import { messageText, nameOfRule, type Remark } from '../../model/remarks/remark.ts';
import { placeOfNothing, type View } from '../../view.ts';
import { ruleDocument } from './rules.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function sarifLog(list: RemarkList, view: View): string {
  const remarks = listed(list.remarks);
  // By the name of the rule, the first remark of each.
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
