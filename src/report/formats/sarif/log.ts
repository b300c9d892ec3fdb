/** Remarks as a SARIF log of one run. */

import type { JsonObject } from '../../../base/json.ts';
import { indentedJson } from '../json/seal.ts';
import { fingerprintsOf } from '../remarks/fingerprints.ts';
import { messageText, nameOfRule, type Remark } from '../remarks/remark.ts';
import type { RemarkedKind, Told } from '../remarks/remarks-of.ts';
import { NO_PLACE, repositoryFile, type View } from '../../view.ts';
import { ruleDocument } from './rules.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function sarifLog(told: Told, view: View): string {
  // By the name of the rule, the first remark of each.
  const rules = new Map<string, Remark>();
  for (const remark of told.remarks) {
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
        automationDetails: { id: categoryOf(told) },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: told.kind !== 'failure' }],
        results: resultsOf(told, [...rules.keys()], view),
      },
    ],
  });
}

const COMMANDS: Readonly<Record<RemarkedKind, string>> = {
  plan: 'plan',
  drift: 'drift',
  result: 'apply',
  nothing: 'apply',
  undo: 'undo',
  validation: 'validate',
  test: 'test',
  failure: 'failure',
};

/** A service replaces the earlier results of the same category, so each project has its own. It ends with a slash. */
function categoryOf({ kind, project }: Told): string {
  return ['flagwright', COMMANDS[kind], ...(project === undefined ? [] : [encodeURIComponent(project)]), ''].join('/');
}

function resultsOf({ remarks }: Told, rules: readonly string[], view: View): JsonObject[] {
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
function locationOf({ place = NO_PLACE, name }: Remark, view: View): JsonObject {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(repositoryFile(place, view)) },
      region: { startLine: place.line, startColumn: place.column },
    },
    ...(name === undefined ? {} : { logicalLocations: [{ name, kind: 'resource' }] }),
  };
}

/** A relative one of the repository; only a folder outside of it is absolute. */
function uriOf(file: string): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file://${path}` : path;
}
