/** Names of resources, as options have them: the key of a flag, or the key after its kind, `cohort:ALIAS`. */

import { memberOf } from '../../base/json.ts';
import { refTo } from '../../core/engine/change.ts';
import type { KindTypes, OwnKind, KindName } from '../kind-types.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';

/** The kinds of their own with their sections; the first one is that of the main family. */
const SECTIONS: { readonly [Kind in OwnKind]: KindTypes[Kind]['section'] } = {
  flag: 'flags',
  cohort: 'cohorts',
  early_access: 'early_access',
};

const [MAIN, ...FURTHER] = Object.keys(SECTIONS) as [OwnKind, ...OwnKind[]];

/** A resource, by its key within its family. */
export interface NamedResource {
  readonly kind: OwnKind;
  readonly section: KindTypes[OwnKind]['section'];
  readonly key: string;
}

/** The key of a flag contains no colon. */
export function readName(name: string): NamedResource {
  const kind = FURTHER.find((one) => name.startsWith(refTo(one, ''))) ?? MAIN;
  return { kind, section: SECTIONS[kind], key: kind === MAIN ? name : name.slice(refTo(kind, '').length) };
}

/** The name of a resource in options and safety rules. */
export function nameResource(kind: OwnKind, key: string): string {
  return kind === MAIN ? key : refTo(kind, key);
}

/** Whether the name is that of a flag. */
export function isOfMain(name: string): boolean {
  return readName(name).kind === MAIN;
}

/** The kinds by what their refs begin with. */
const KINDS_OF_REFS: Readonly<Record<KindName | 'flag_active', KindName>> = {
  flag: 'flag',
  flag_active: 'flag',
  role_access: 'role_access',
  cohort: 'cohort',
  early_access: 'early_access',
};

/** The kind of the change with a ref, and the key of its resource. */
export interface Ref {
  readonly kind: KindName;
  readonly key: string;
}

/** Keys may contain colons; what has access stands last. A plan that was written by hand may have any ref: it is read as a flag's. */
export function readRef(ref: string): Ref {
  const kind: KindName = memberOf(KINDS_OF_REFS, ref.slice(0, Math.max(ref.indexOf(':'), 0))) ?? MAIN;
  return { kind, key: ref.slice(ref.indexOf(':') + 1, kind === 'role_access' ? ref.lastIndexOf(':') : undefined) };
}

/** Pages by kind; access and early access features are on the page of their flag. */
const PAGES: Readonly<Record<KindName, string>> = {
  flag: 'feature_flags',
  role_access: 'feature_flags',
  cohort: 'cohorts',
  early_access: 'feature_flags',
};

interface PageSubject {
  readonly resource: KindName;
  /** The id of the flag for access and early access features. */
  readonly id?: ResourceId;
}

/** `undefined` for the embedded service, which has no web interface, and for what does not exist yet. */
export function pageUrl(project: ProjectIdentity, { resource, id }: PageSubject): string | undefined {
  return id === undefined ? undefined : pagesUrl(project, `${PAGES[resource]}/${id}`);
}

/** The page of all flags. */
export function flagPages(project: ProjectIdentity): string | undefined {
  return pagesUrl(project, PAGES.flag);
}

function pagesUrl({ host, project_id: project }: ProjectIdentity, page: string): string | undefined {
  if (!host.startsWith('http')) return undefined;
  const base = host.replace(/\/+$/, '');
  return /^\d+$/.test(project) ? `${base}/project/${project}/${page}` : `${base}/${page}`;
}

/** `undefined` for the embedded service, which has no web interface. */
export function changeRequestUrl({ host, project_id: project }: ProjectIdentity, id: string): string | undefined {
  if (!host.startsWith('http') || !/^\d+$/.test(project)) return undefined;
  return `${host.replace(/\/+$/, '')}/project/${project}/approvals/${encodeURIComponent(id)}`;
}
