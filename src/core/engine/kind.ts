/**
 * A kind of resource as a value: what the engine needs from it. Each kind has a folder, and the service lists its kinds. Each resource has a
 * main kind; further kinds hold data attached to it, such as the role access of a flag. A main kind and the kinds attached to it are a
 * family. The first kind of the list belongs to the main family, the only one that scope and prune are about.
 */

import { type Change, type FieldChange, refTo } from './change.ts';
import type { DesiredResource } from './desired.ts';
import type { LeaveRule, LeftChange, Match } from './matched.ts';
import type { ObservedValue } from './ownership.ts';
import type { PlanTypes } from './plan.ts';
import type { LiveResource, ResourceId } from './snapshot.ts';

/** The types that the kinds of one service share. */
export interface Model extends PlanTypes {
  readonly desired: DesiredResource;
  readonly live: LiveResource;
  /** Live state, made comparable once. */
  readonly snapshot: object;
}

export interface Kind<
  M extends Model = Model,
  Made extends M['change'] = M['change'],
  Desired extends M['desired'] = M['desired'],
  Live extends M['live'] = M['live'],
> {
  /** The `resource` of its changes. */
  readonly name: Made['resource'];
  /** The kind to whose resources this one is attached: `id` and `key` in its changes are those of that resource. */
  readonly attachedTo?: M['change']['resource'];
  /** The service identifies its resources by id only: manifests choose their keys, and no plan renames one. */
  readonly keyless?: true;
  /** A summary counts the kind only where a plan has resources of it: earlier releases do not know the kind. */
  readonly countedIfAny?: true;
  /** The order is that in which a summary counts them. */
  readonly actions: readonly Made['action'][];

  /** The changes that make a live resource match the desired one. */
  compare(match: Match<Desired, Live>, snapshot: M['snapshot']): Comparison<M>;
  /** Deletes a resource that no manifest names. */
  prune?(unnamed: Unnamed<Desired, Live>, snapshot: M['snapshot']): Made;
  /**
   * The resources that a desired one depends on, by name (`nameOf`). Without a snapshot, only those that it names itself: a match may have
   * put an id of the service in place of a name.
   */
  dependencies?(desired: Desired, snapshot?: M['snapshot']): readonly string[];

  /**
   * The dependencies of changes, by ref, as far as the kind decides them. `waived`: refs of changes that wait only for dependencies that
   * cannot be waived.
   */
  findNeeds(changes: readonly M['change'][], snapshot: M['snapshot'], waived: ReadonlySet<string>): Needs;
  /** Two changes in place of one that the service refuses as a whole; else the change itself. */
  divide?(change: Made, snapshot: M['snapshot']): readonly Made[];
  /** Two changes in place of one that no order can hold. */
  split?(change: Made): readonly Made[];

  /** The differences that the change removes, each with the class that it has against the base. */
  parts(change: Made): readonly FieldChange[];
  /** The match's desired resource with live values in place of parts of a change; `undefined`, or no method: all of it is left. */
  leave?(given: Leave<Made, Desired, Live>, snapshot: M['snapshot']): Desired | undefined;
  /** The effects of a change that the safety rules limit. */
  effects(change: Made): readonly ChangeEffect[];
  /** The key that people see in the service before the change; for a keyless resource, its key in the manifests. */
  liveKey(change: Made): string;
  /**
   * The consequences of the changes: harm that needs a permission, and refusals to expect. `left`: differences that the run leaves as they
   * are live.
   */
  assess(changes: readonly M['change'][], snapshot: M['snapshot'], left: readonly LeftChange[]): Assessment<M>;

  /** The same change with digests in place of secrets; the change itself when it holds none. */
  hideSecrets?(change: Made): Made;
  /** Whether the change cannot be sent, since digests stand in place of secrets. */
  lacksSecrets?(change: Made): boolean;

  /** The opposite of an applied change, or why there is none. */
  invert(applied: Applied<Made>, snapshot: M['snapshot']): Made | RefusedInversion;
  /** Changes of one run, where two writes of one resource become one change again. */
  join?<Item extends Applied<M['change']>>(applied: readonly Item[]): readonly Item[];
  /** The change under the keys that resources have afterwards, `newKey`. */
  rename(change: Made, newKey: (key: string) => string): Made;
  /** Whether deleting resources, by id, does what the change would do. */
  isCoveredBy?(change: Made, deleted: ReadonlySet<ResourceId>): boolean;
}

/** Parts of a change that a run does not make. */
export interface Leave<Made extends Change, Desired extends DesiredResource, Live extends LiveResource> {
  readonly change: Made;
  readonly parts: readonly FieldChange[];
  readonly match: Match<Desired, Live>;
  readonly by: LeaveRule['by'];
}

/** A live resource that no manifest names, with what the base says of it; absent without a base. */
export interface Unnamed<Desired extends DesiredResource, Live extends LiveResource> {
  readonly live: Live;
  readonly base: Match<Desired, Live>['base'];
}

/** Refs of the changes that must have been applied before a change, by its ref. */
export type Needs = ReadonlyMap<string, readonly string[]>;

export interface Comparison<M extends Model> {
  readonly changes: readonly M['change'][];
  readonly warnings: readonly M['warning'][];
  /** The number of values that moved away from the base on both sides, to the same value. */
  readonly converged?: number;
  /** Values that others decide and that are not as declared. */
  readonly observed?: readonly ObservedValue[];
}

/** `prune` goes with `delete`, for a resource that no manifest names. */
export type ChangeEffect = 'delete' | 'prune' | 'disable' | 'rename' | 'update';

interface Assessment<M extends Model> {
  readonly risks: readonly M['risk'][];
  readonly warnings: readonly M['warning'][];
}

/** A change that was applied, with the id that the service answered: of the resource, or of what is attached to it. */
export interface Applied<Made extends Change = Change> {
  readonly change: Made;
  readonly id?: ResourceId;
}

/** The input of the engine's functions: the kinds of a service and the state that was read. */
export interface World<M extends Model> {
  readonly kinds: readonly Kind<M>[];
  /** The kinds of which the project has anything: no other one is asked to compare, order or assess. Default: all. */
  readonly present?: readonly Kind<M>[];
  readonly snapshot: M['snapshot'];
}

export function presentIn<M extends Model>({ kinds, present = kinds }: World<M>): readonly Kind<M>[] {
  return present;
}

/** The kind of their own of the resources that a kind's changes are about. */
export function familyOf({ name, attachedTo }: Pick<Kind, 'name' | 'attachedTo'>): string {
  return attachedTo ?? name;
}

/** The name of a resource in options and safety rules: its key, prefixed with its kind (`cohort:beta`) outside the main family. */
export function nameOf(kinds: readonly Pick<Kind, 'name' | 'attachedTo'>[], family: string, key: string): string {
  const [main] = kinds;
  return main === undefined || familyOf(main) === family ? key : refTo(family, key);
}

export function kindOf<M extends Model, Any extends Kind<M> = Kind<M>>(
  kinds: readonly Any[],
  { resource }: Pick<Change, 'resource'>,
): Any {
  const kind = kinds.find(({ name }) => name === resource);
  if (kind === undefined) throw new TypeError(`No kind is named ${resource}.`);
  return kind;
}

/** The reason that a change of a run has no inverse. */
export interface RefusedInversion {
  readonly ref: string;
  readonly key: string;
  readonly refusal: 'moved' | 'gone' | 'secret' | 'unwritable';
  /** The difference between what the run wrote and what is live now. */
  readonly moved: readonly FieldChange[];
}
