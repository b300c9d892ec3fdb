// Whether a plan makes exactly the changes of the plan that people reviewed.

import { createHash } from 'node:crypto';
import { quoteCode } from './quote.mjs';

/**
 * A saved plan, or those of several projects, as far as reviewers decide about it: the text of each change, and of each flag's later
 * steps, by its name. Undefined if it is no plan.
 */
export function readPlan(text) {
  try {
    const document = JSON.parse(withNumbersAsStrings(text));
    return document.plans === undefined ? planIn(document) : plansIn(document.plans);
  } catch {
    return undefined;
  }
}

/** `projects`: for each name of a change, the project that it is of. */
function plansIn(documents) {
  const plans = documents.map((document) => [document.project.name, planIn(document)]);
  const named = plans.flatMap(([project, { changes }]) =>
    [...changes].map(([name, text]) => ({ project, name: `${project}: ${name}`, text })),
  );
  const exceptions = plans.flatMap(([, { newExceptions }]) => newExceptions);
  return {
    project: stableText(plans.map(([, { project }]) => project)),
    changes: new Map(named.map(({ name, text }) => [name, text])),
    projects: new Map(named.map(({ name, project }) => [name, project])),
    newExceptions: [...new Map(exceptions.map((one) => [stableText(one), one])).values()],
    needsApproval: plans.some(([, { needsApproval }]) => needsApproval),
  };
}

function planIn({ project, changes, rollout_changes: later = [], policy, exceptions = [] }) {
  const named = [
    ...changes.map((change) => [change.ref.toString(), stableText(asReviewed(change))]),
    ...later.map(({ ref, before, after }) => [
      `later steps of ${ref}`,
      stableText([before, after].map(withoutProgress)),
    ]),
  ];
  const newExceptions = exceptions.filter(({ code }) => code === 'exception_not_approved');
  return {
    project: stableText(project),
    changes: new Map(named),
    newExceptions,
    needsApproval: newExceptions.length > 0 || (policy?.findings ?? []).some(({ level }) => level !== 'warning'),
  };
}

/** Names the changes of a plan; equal plans have equal digests, whatever else moved meanwhile. */
export function digestOf({ project, changes }) {
  const text = JSON.stringify([project, [...changes].toSorted(([a], [b]) => compare(a, b))]);
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** What the plans of requests that were merged one after the other make together: of each resource, the newest one that has it. */
export function unionOf(plans) {
  const [{ project }] = plans;
  if (plans.some((plan) => plan.project !== project)) return undefined;
  const joined = (member) => new Map(plans.flatMap((plan) => [...(plan[member] ?? [])]));
  return { project, changes: joined('changes'), projects: joined('projects') };
}

/** One line for each change that differs. */
export function differencesOf(reviewed, made) {
  if (reviewed.project !== made.project) return ['The reviewed plan is of another project.'];
  const names = [...new Set([...reviewed.changes.keys(), ...made.changes.keys()])].toSorted(compare);
  const changed = new Set(made.projects?.values());
  return names.flatMap((name) => {
    const [before, now] = [reviewed.changes.get(name), made.changes.get(name)];
    if (before === now) return [];
    // A project without changes, such as one that an earlier run has applied, needs no review.
    const project = reviewed.projects?.get(name);
    if (now === undefined && project !== undefined && !changed.has(project)) return [];
    if (before === undefined) return [`${quoteCode(name)} is not in the reviewed plan`];
    return [
      now === undefined
        ? `${quoteCode(name)} has nothing to change now`
        : `${quoteCode(name)} changes in another way than reviewed`,
    ];
  });
}

/** No number may be rounded on its way: two that differ would be equal. */
function withNumbersAsStrings(text) {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(`\0${token}`),
  );
}

/** Lines of files, versions, and what is known of who moved are no part of what is written. */
const NOT_REVIEWED = new Set(['source', 'base', 'base_level', 'divergence', 'needs']);

/** How many steps were made by the time of the plan is nobody's decision. */
function withoutProgress(rollouts) {
  return rollouts.map(({ path, from, steps, catch_up: catchUp }) => ({ path, from, steps, catchUp }));
}

function asReviewed({ fields, ...change }) {
  const kept = Object.entries(change).filter(([name]) => !NOT_REVIEWED.has(name));
  const values = fields?.map(({ path, before, after }) => ({ path, before, after }));
  return { ...Object.fromEntries(kept), fields: values };
}

function stableText(value) {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => compare(a, b)))
      : part,
  );
}

function compare(one, other) {
  return one < other ? -1 : 1;
}
