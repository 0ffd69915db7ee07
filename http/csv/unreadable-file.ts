/** A file that cannot be read as a whole; its message says why. */
export class UnreadableFile extends Error {}
