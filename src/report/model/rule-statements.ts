/** The rules that a plan breaks as statements, by rule: what holds for several flags is said once, with the flags below it. */

import { defined } from '../../base/optional.ts';
import { placeOf, refuses, ruleOf, type BrokenRule } from '../../policy/broken-rules.ts';
import { countNamed } from '../words/amounts.ts';
import { remedyText } from '../words/findings.ts';
import { brokenRuleText, ruleSourceText } from '../words/hazards.ts';
import { waysOut } from '../words/ways-out.ts';
import { phraseOf, plainText, spansOf, type Phrase, type Span } from './phrase.ts';
import type { Statement, Way } from './report-model.ts';

/** In the order of the first one of each rule. `project`: its name, for commands. */
export function ruleStatements(broken: readonly BrokenRule[], project: string | undefined): Statement[] {
  const named = broken.map((one) => toNamed(one, project));
  return [
    ...groupBy(named, ({ broken: one }) => `${one.sort} ${ruleOf(one)} ${ruleSourceText(one) ?? ''}`).values(),
  ].map((ofRule) => ofRuleStatement(ofRule, project));
}

/** A broken rule whose sentence begins with a name, apart from it. */
interface NamedRule {
  readonly broken: BrokenRule;
  readonly phrase: Phrase;
  /** Absent where the sentence begins with something else. */
  readonly name?: { readonly value: string };
  /** The same for all of which the same is said. */
  readonly saying: string;
}

function toNamed(broken: BrokenRule, project: string | undefined): NamedRule {
  const phrase = phraseOf((quote) => brokenRuleText(broken, quote));
  const [first, name, ...rest] = spansOf(phrase);
  if (first !== '' || typeof name !== 'object' || !('value' in name)) {
    return { broken, phrase, saying: plainText(phrase) };
  }
  return { broken, phrase, name, saying: `${plainText(rest)}\n${waysText(waysOf(withoutKey(broken), project))}` };
}

/** The same with a key that no other has. */
function withoutKey(broken: BrokenRule): BrokenRule {
  if (broken.sort === 'policy' || !('key' in broken.hazard)) return broken;
  const { hazard } = broken;
  const permit = hazard.permit === undefined ? {} : { permit: { ...hazard.permit, value: '' } };
  return { ...broken, hazard: { ...hazard, ...permit, key: '' } as typeof hazard };
}

function ofRuleStatement(ofRule: readonly NamedRule[], project: string | undefined): Statement {
  const statements = [...groupBy(ofRule, ({ saying }) => saying).values()].map((alike) =>
    sayingStatement(alike, project),
  );
  const [first, ...others] = statements;
  const [{ broken }] = ofRule as [NamedRule];
  const source = sourceOf(broken);
  if (first === undefined || others.length === 0) return { ...(first as Statement), ...source };
  const verb = refuses(broken) ? 'refuses' : 'warns about';
  const ways = waysText(first.ways);
  const isShared = others.every((one) => waysText(one.ways) === ways);
  return {
    phrase: [{ value: ruleOf(broken) }, ` ${verb} ${namesText(ofRule)}.`],
    level: levelOf(broken),
    ...source,
    ...(isShared ? defined({ ways: first.ways }) : {}),
    parts: isShared ? statements.map((one) => ({ ...one, ways: [] })) : statements,
  };
}

function sourceOf(broken: BrokenRule): Pick<Statement, 'source'> {
  if (ruleSourceText(broken) === undefined) return {};
  return { source: phraseOf((quote) => ruleSourceText(broken, quote) ?? '') };
}

function sayingStatement(alike: readonly NamedRule[], project: string | undefined): Statement {
  const [{ broken, phrase }, ...others] = alike as [NamedRule, ...NamedRule[]];
  if (others.length === 0) {
    return { phrase, level: levelOf(broken), ways: waysOf(broken, project), ...defined({ place: placeOf(broken) }) };
  }
  const [, , ...rest] = spansOf(phrase);
  return {
    phrase: [`Each of these ${namesText(alike)}`, ...rest],
    level: levelOf(broken),
    ways: waysOf(broken, project, alike.length > MOST_TYPED ? ['KEY'] : alike.map(keyOf)),
    parts: alike.map(({ broken: one, name }): Statement => ({
      phrase: [name as Span],
      ...defined({ place: placeOf(one) }),
    })),
  };
}

function waysText(ways: readonly Way[] = []): string {
  return ways.map((way) => `${plainText(way.words)} ${'text' in way ? way.text : ''}`).join('\n');
}

function levelOf(broken: BrokenRule): 'error' | 'warning' {
  return refuses(broken) ? 'error' : 'warning';
}

/** A longer command is for nobody to type: it names one key, and the flags are below. */
const MOST_TYPED = 20;

function waysOf(broken: BrokenRule, project: string | undefined, keys?: readonly string[]): readonly Way[] {
  if (!refuses(broken)) return [];
  return broken.sort === 'safety'
    ? waysOut(broken.hazard, project, keys)
    : [{ words: phraseOf((quote) => remedyText(broken.finding, quote)) }];
}

/** `3 flags and 1 cohort`. */
function namesText(rules: readonly NamedRule[]): string {
  return countNamed([...new Set(rules.map(({ name, broken }) => name?.value ?? keyOf({ broken })))]);
}

function keyOf({ broken }: Pick<NamedRule, 'broken'>): string {
  if (broken.sort === 'policy') return broken.finding.key;
  return 'key' in broken.hazard ? broken.hazard.key : '';
}

function groupBy<Item>(items: readonly Item[], keyFor: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyFor(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
