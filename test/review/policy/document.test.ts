/** A judgement as a document, and read from one. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import { type Finding, type Judgement, judgementDocument, parseJudgement } from '../../../src/review/policy/finding.ts';

const SOURCE = { file: 'flagwright.yaml', line: 9, column: 7 };
const FINDING: Finding = {
  rule: 'naming',
  level: 'approve',
  approvers: ['ann'],
  resource: 'flag',
  key: 'a',
  ref: 'flag:a',
  facts: { what: 'naming', patterns: ['shop-*'] },
  place: { file: 'flags/a.yaml', line: 1, column: 1 },
  policy: SOURCE,
};
const JUDGEMENT: Judgement = {
  source: { from: 'base', commit: '0'.repeat(40), differs: true },
  findings: [FINDING, { ...FINDING, key: 'b', lifted: { by: 'approval', approver: 'ann' } }],
};

it('a saved judgement is read as it was, so that a saved plan refuses what the plan refused', () => {
  const saved = parseJson(stringifyJson(judgementDocument(JUDGEMENT))) as JsonObject;
  expect(parseJudgement(saved)).toEqual(JUDGEMENT);
});

it('the words of a finding are members beside its facts', () => {
  expect(judgementDocument(JUDGEMENT, ({ key }) => ({ text: `of ${key}` }))['findings']).toMatchObject([
    { rule: 'naming', key: 'a', text: 'of a' },
    { rule: 'naming', key: 'b', text: 'of b' },
  ]);
});
