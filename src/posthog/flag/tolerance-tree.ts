/** The tolerance table as a tree, for those who walk a flag along it. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import type { FormName } from './forms.ts';
import { TOLERANCES, type Mark, type Tolerance, type Treatment } from './tolerances.ts';

/** The rows of one place, sorted by kind, and the places under it by path segment. */
export interface Rule {
  readonly forms: FormName[];
  readonly absentWhen: JsonValue[];
  /** Into which objects the service puts the member on reading; it is not compared there. */
  injectedInto?: Mark;
  /** Whether the member is never compared, and carried over into what is sent. */
  carried: boolean;
  /** Whether something is carried over in or under this place. */
  carries: boolean;
  fallback: JsonValue | undefined;
  readonly children: Map<string, Rule>;
  /** What the children say for members that have no value. */
  readonly fallbacks: [key: string, value: JsonValue][];
}

export const TOLERANCE_TREE: Rule = treeOf(TOLERANCES);

/** What the table says of a member; `*` stands for every segment that has no name there. */
export function ruleOf(rule: Rule, segment: string): Rule | undefined {
  return rule.children.get(segment) ?? rule.children.get('*');
}

/** Whether the service puts such a member into this object whenever it is read. */
export function isInjected({ injectedInto }: Rule, owner: JsonObject): boolean {
  return injectedInto !== undefined && owner[injectedInto.member] === injectedInto.value;
}

export function treeOf(tolerances: readonly Tolerance[]): Rule {
  const root = emptyRule();
  for (const { path, treat } of tolerances) {
    let rule = root;
    for (const segment of fromPointer(path)) {
      const next = rule.children.get(segment) ?? emptyRule();
      rule.children.set(segment, next);
      rule = next;
    }
    addTreatment(rule, treat);
  }
  finish(root);
  return root;
}

function emptyRule(): Rule {
  return {
    forms: [],
    absentWhen: [],
    carried: false,
    carries: false,
    fallback: undefined,
    children: new Map(),
    fallbacks: [],
  };
}

function addTreatment(rule: Rule, treat: Treatment): void {
  switch (treat.kind) {
    case 'injected':
      rule.injectedInto = treat.into;
      return;
    case 'carried':
      rule.carried = true;
      rule.carries = true;
      return;
    case 'absent':
      rule.absentWhen.push(...treat.when);
      return;
    case 'default':
      rule.fallback = treat.value;
      rule.absentWhen.push(null);
      return;
    case 'form':
      rule.forms.push(treat.form);
      return;
    case 'owned-elsewhere':
      return;
  }
}

/** A named segment obeys the rows for `*` beside it too. */
function finish(rule: Rule): void {
  const wildcard = rule.children.get('*');
  for (const [segment, child] of rule.children) {
    if (wildcard !== undefined && segment !== '*') child.absentWhen.push(...wildcard.absentWhen);
    if (child.fallback !== undefined) rule.fallbacks.push([segment, child.fallback]);
    finish(child);
    rule.carries ||= child.carries;
  }
}
