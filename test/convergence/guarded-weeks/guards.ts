/** The guards of the rollouts of ten weeks: which of them apply to a run, read from git, and what each of them says, without asking the command. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { REF } from '../../helpers/git-stage.ts';
import type { Ran } from '../../helpers/run.ts';
import { dueOf, EVERY, HOUR, type Known } from '../rollout-weeks/known.ts';
import type { GuardedSetting, GuardsOfWeeks, Weeks } from '../rollout-weeks/weeks.ts';
import { type Definition, DEFINITIONS, isUnread, passes, SEED, type Sources } from './sources.ts';

export interface Guarded extends GuardsOfWeeks {
  readonly sources: Sources;
  readonly last: () => Ran;
  /** The rollouts that made a guarded step since, with the guards that let it through. */
  readonly takeMade: () => ReadonlyMap<Known, readonly string[]>;
  readonly guardsOf: (one: Known) => readonly string[];
  /** Whether a step is due that the last run could not look at: surely, or perhaps. */
  readonly isBlind: () => 'no' | 'perhaps' | 'surely';
}

export function settingOf(found: (guarded: Guarded) => void): GuardedSetting {
  return {
    config: configText(DEFINITIONS),
    seed: SEED,
    guardOf: (below) => Object.keys(DEFINITIONS).filter(() => below(3) === 0),
    guards: (weeks) => {
      const guarded = guardsIn(weeks);
      found(guarded);
      return guarded;
    },
  };
}

type Definitions = Readonly<Record<string, Definition>>;

export function configText(definitions: Definitions): string {
  const lines = Object.entries(definitions).map(([name, { source, maxAge, patience }]) => {
    const [kind, of] = Object.entries(source)[0] ?? ['', ''];
    return `  ${name}: { ${kind}: ${of}, max_age: ${maxAge / HOUR}h, patience: ${patience / HOUR}h }\n`;
  });
  return `guards:\n${lines.join('')}`;
}

/** Each line is one guard, as it was written above. */
function definitionsIn(text: string): Definitions {
  const lines = text.matchAll(/^ {2}(\w+): \{ (alert|verdict): (\w+), max_age: (\d+)h, patience: (\d+)h \}$/gm);
  return Object.fromEntries(
    [...lines].map(([, name = '', kind, of = '', age, patience]): [string, Definition] => {
      const source = kind === 'alert' ? { alert: of } : { verdict: of };
      return [name, { source, maxAge: Number(age) * HOUR, patience: Number(patience) * HOUR }];
    }),
  );
}

interface Commit {
  readonly manifest: string;
  readonly definitions: Definitions;
}

function guardsIn(weeks: Weeks): Guarded {
  const { here, now, run } = weeks;
  const sources: Sources = { alerts: [] };
  const made = new Map<Known, readonly string[]>();
  const read = (name: string): string => readFileSync(path.join(here.root, name), 'utf8');
  const today = (): Commit => ({
    manifest: read('flags/main.yaml'),
    definitions: definitionsIn(read('flagwright.yaml')),
  });
  const applied = (): Commit => {
    const [, commit] = /^Applied: (\w+)$/m.exec(here.git('cat-file', '-p', REF)) ?? [];
    if (commit === undefined)
      return {
        manifest: here.git('show', `${REF}:flags/main.yaml`),
        definitions: definitionsIn(here.git('show', `${REF}:flagwright.yaml`)),
      };
    return {
      manifest: here.git('show', `${commit}:flags/main.yaml`),
      definitions: definitionsIn(here.git('show', `${commit}:flagwright.yaml`)),
    };
  };
  let last: Ran = { code: 0, stdout: '', stderr: '', document: () => ({}) };
  // As they are when the run begins: no commit was applied before the first.
  let base = today();
  let isOrdinary = true;
  Object.assign(weeks, {
    run: async (...argv: string[]) => {
      const [command = ''] = argv;
      base = here.git('for-each-ref', REF) === '' ? today() : applied();
      isOrdinary = !argv.includes('--due');
      const asks = ['apply', 'plan', 'drift'].includes(command);
      last = await run(...argv, ...(asks ? ['--verdicts', 'verdicts.json'] : []));
      return last;
    },
  });
  const guardsOf = (one: Known): readonly string[] => [
    ...new Set([
      ...namedIn(base.manifest, [one.key, one.former]),
      ...(isOrdinary ? namedIn(today().manifest, [one.key, one.former]) : []),
    ]),
  ];
  const definitionsOf = (name: string): readonly Definition[] =>
    [base.definitions[name], today().definitions[name]].filter((one) => one !== undefined);
  const sinceOf = ({ step, made: times }: Known, which: 0 | 1): number =>
    step < 0 ? Number.NEGATIVE_INFINITY : times[which];
  const readingsOf = (name: string, one: Known, which: 0 | 1): readonly ({ readonly at: number } | undefined)[] =>
    definitionsOf(name).map((each) => passes(each, sources, { since: sinceOf(one, which), now: now() }));
  const blocking: GuardsOfWeeks['blocking'] = (one, which) =>
    guardsOf(one).filter((name) => {
      const readings = readingsOf(name, one, which);
      return readings.length === 0 || readings.includes(undefined);
    });
  const isBlind = (): 'no' | 'perhaps' | 'surely' => {
    const unread = (one: Known): boolean =>
      guardsOf(one).some((name) => definitionsOf(name).some((each) => isUnread(each, sources)));
    const surely = weeks.rollouts.some(
      (one) => !one.isHeld && !one.isUnrecorded && dueOf(one, 1) <= now() && unread(one),
    );
    if (surely) return 'surely';
    return weeks.rollouts.some(unread) ? 'perhaps' : 'no';
  };
  return {
    sources,
    ...{ blocking, guardsOf, isBlind },
    last: () => last,
    takeMade: () => {
      const all = new Map(made);
      made.clear();
      return all;
    },
    judgeStep: (one) => {
      const guards = guardsOf(one);
      expect(blocking(one, 0), weeks.told(`${one.key} makes no step that a guard does not let through`)).toEqual([]);
      if (guards.length > 0) made.set(one, guards);
    },
    overdueFrom: (one, which) => {
      const due = dueOf(one, which);
      const all = guardsOf(one).flatMap((name) => {
        const readings = readingsOf(name, one, which);
        return definitionsOf(name).map(({ patience }, index) => ({ patience, reading: readings[index] }));
      });
      const waiting = all.filter(({ reading }) => reading === undefined);
      if (waiting.length > 0) return due + Math.min(...waiting.map(({ patience }) => patience));
      const patience = Math.min(...all.map((each) => each.patience));
      const seen = Math.max(due, ...all.map(({ reading }) => reading?.at ?? due)) + 2 * EVERY;
      return all.length === 0 ? due + 2 * EVERY : Math.min(seen, due + patience);
    },
    codes: () => ({ no: [0], perhaps: [0, 3], surely: [3] })[isBlind()],
  };
}

/** The manifest has a line for each flag. */
function namedIn(manifest: string, keys: readonly (string | undefined)[]): readonly string[] {
  return manifest.split('\n').flatMap((line) => {
    if (!keys.some((key) => key !== undefined && line.startsWith(`  ${key}: `))) return [];
    const [, names = ''] = /guard: \[([^\]]*)\]/.exec(line) ?? [];
    return names.split(', ').filter((name) => name !== '');
  });
}
