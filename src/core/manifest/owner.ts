/** Who owns a resource: whom a tag names, else the owners of the file that declares it. Nobody is named where neither says it. */

/** `code_owners`: of the file that declares the resource. */
export interface Owner {
  readonly name: string;
  readonly by: 'tag' | 'code_owners';
}

export const DEFAULT_OWNER_PREFIXES: readonly string[] = ['owner:', 'team:'];

/** What the configuration and the repository say about owners. */
export interface OwnerRules {
  /** What the tags begin with that name an owner. */
  readonly prefixes: readonly string[];
  /** The owners of a file, which is named as places of manifests name it. */
  readonly ownersOf: (file: string) => readonly string[];
  /** There is a list of owners, and it cannot be read. */
  readonly isUnread?: true;
}

/** `file`: absent if no manifest declares the resource. */
export interface OwnedResource {
  /** Those of manifests and of the service, which may have any value. */
  readonly tags: readonly unknown[];
  readonly file?: string;
}

export function ownerOf({ tags, file }: OwnedResource, { prefixes, ownersOf }: OwnerRules): Owner | undefined {
  for (const tag of tags) {
    const prefix = typeof tag === 'string' ? prefixes.find((one) => tag.startsWith(one)) : undefined;
    const name = prefix === undefined ? '' : String(tag).slice(prefix.length).trim();
    if (name !== '') return { name, by: 'tag' };
  }
  const owners = file === undefined ? [] : ownersOf(file);
  return owners.length === 0 ? undefined : { name: owners.join(' '), by: 'code_owners' };
}
