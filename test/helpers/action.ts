/** The workflow that `init` writes and the action that it uses, run as GitHub's runner does: inputs, environment, script. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { TOKEN } from './forge.ts';

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | number | boolean>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly name: string;
  readonly on: object;
  readonly permissions: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description?: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export const ROOT: string = path.resolve(import.meta.dirname, '../..');
export const action = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8')) as Action;
export const ACTION_IN_PACKAGE = './.flagwright-ci/node_modules/flagwright';

type Values = Readonly<Record<string, string>>;

/** What the step `name` of the action runs in a job of the workflow; `values` has what expressions mean, such as `secrets.KEY`. */
export function actionStep(
  { workflow, job, name }: { workflow: Workflow; job: string; name: string },
  values: Values = {},
): { script: string; env: Record<string, string> } {
  const caller = workflow.jobs[job]?.steps.find(({ uses }) => uses === ACTION_IN_PACKAGE);
  const step = action.runs.steps.find((one) => one.name === name);
  if (caller === undefined || step?.run === undefined) throw new Error(`no step ${name} of the action in ${job}`);
  const unknown = Object.keys(caller.with ?? {}).filter((input) => !Object.hasOwn(action.inputs, input));
  if (unknown.length > 0) throw new Error(`no input ${unknown.join(', ')} of the action`);
  const variables = Object.fromEntries(
    Object.entries(workflow.env ?? {}).map(([variable, text]) => [`env.${variable}`, text]),
  );
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([input, { default: initial = '' }]) => [
      `inputs.${input}`,
      fillIn(String(caller.with?.[input] ?? initial), { ...variables, ...values, 'github.token': TOKEN }),
    ]),
  );
  const env = Object.entries(step.env ?? {}).map(([variable, text]) => [variable, fillIn(text, inputs)]);
  return {
    script: step.run,
    env: { ...(Object.fromEntries(env) as Record<string, string>), GITHUB_ACTION_PATH: ROOT, GITHUB_ACTIONS: 'true' },
  };
}

/** An expression without a value is empty, as on GitHub. */
function fillIn(text: string, values: Values): string {
  return text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values[name] ?? '');
}
