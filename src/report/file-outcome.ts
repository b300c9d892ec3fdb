/** What a command did with a file. */

export interface FileOutcome {
  /** Relative to the working directory. */
  readonly file: string;
  /** `kept`: it existed and was not touched. `current`: it is as it would be written. `to_…`: this run wrote nothing. */
  readonly status: 'written' | 'edited' | 'kept' | 'current' | 'to_write' | 'to_edit';
}
