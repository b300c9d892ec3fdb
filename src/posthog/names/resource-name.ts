/** Names of resources, as options have them: the key of a flag, or the key after its kind, `cohort:ALIAS`. */

import { refTo } from '../../core/engine/change.ts';
import type { KindTypes, OwnKind, KindName } from '../kind-types.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';

/** The page of each kind in the web interface, and the section of those of their own; the first one is the main family. */
const KINDS: {
  readonly [Kind in KindName]: Pick<KindTypes[Kind], 'section' & keyof KindTypes[Kind]> & { readonly page: string };
} = {
  flag: { section: 'flags', page: 'feature_flags' },
  cohort: { section: 'cohorts', page: 'cohorts' },
  early_access: { section: 'early_access', page: 'feature_flags' },
  role_access: { page: 'feature_flags' },
};

const isOwn = (kind: KindName): kind is OwnKind => 'section' in KINDS[kind];
const [MAIN, ...FURTHER] = (Object.keys(KINDS) as KindName[]).filter(isOwn) as [OwnKind, ...OwnKind[]];

/** A resource, by its key within its family. */
export interface NamedResource {
  readonly kind: OwnKind;
  readonly section: KindTypes[OwnKind]['section'];
  readonly key: string;
}

/** The key of a flag contains no colon. */
export function readName(name: string): NamedResource {
  const kind = FURTHER.find((one) => name.startsWith(refTo(one, ''))) ?? MAIN;
  return { kind, section: KINDS[kind].section, key: kind === MAIN ? name : name.slice(refTo(kind, '').length) };
}

/** The name of a resource in options and safety rules. */
export function nameResource(kind: OwnKind, key: string): string {
  return kind === MAIN ? key : refTo(kind, key);
}

/** Whether the name is that of a flag. */
export function isOfMain(name: string): boolean {
  return readName(name).kind === MAIN;
}

/** The kind of the change with a ref, and the key of its resource. */
export interface Ref {
  readonly kind: KindName;
  readonly key: string;
}

/**
 * Keys may contain colons; what has access stands last. The ref of a switched flag begins with `flag_active`. A plan that was written by hand
 * may have any ref: it is read as a flag's.
 */
export function readRef(ref: string): Ref {
  const name = ref.slice(0, Math.max(ref.indexOf(':'), 0));
  const kind = Object.hasOwn(KINDS, name) ? (name as KindName) : MAIN;
  return { kind, key: ref.slice(ref.indexOf(':') + 1, kind === 'role_access' ? ref.lastIndexOf(':') : undefined) };
}

interface PageSubject {
  readonly resource: KindName;
  /** The id of the flag for access and early access features. */
  readonly id?: ResourceId;
}

/** `undefined` for the embedded service, which has no web interface, and for what does not exist yet. */
export function pageUrl(project: ProjectIdentity, { resource, id }: PageSubject): string | undefined {
  return id === undefined ? undefined : pagesUrl(project, `${KINDS[resource].page}/${id}`);
}

/** The page of all flags. */
export function flagPages(project: ProjectIdentity): string | undefined {
  return pagesUrl(project, KINDS.flag.page);
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
