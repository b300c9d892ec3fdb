/** A tree of files that manifests are found in: the disk, or a commit of git. Paths are absolute. */

/** Each call rejects with an error whose `code` is that of the system: `ENOENT`, `EACCES`. */
export interface FileTree {
  list(folder: string): Promise<readonly TreeEntry[]>;
  /** The path without symbolic links. */
  realpath(path: string): Promise<string>;
  /** Follows symbolic links. */
  stat(path: string): Promise<TreeFacts>;
  readFile(path: string): Promise<Uint8Array>;
  /** The first bytes of a large file; absent if a file is only read whole. */
  readStart?(path: string, bytes: number): Promise<Uint8Array>;
}

export interface TreeEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export interface TreeFacts {
  readonly kind: Exclude<TreeEntry['kind'], 'link'>;
  /** Bytes. */
  readonly size: number;
}
