import { ArchiveUnavailable } from '#core';

/** Records that cannot be read at the moment are no reason to show nothing else: null stands for them. */
export async function unlessArchiveIsAway<List>(list: Promise<List>): Promise<List | null> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof ArchiveUnavailable) return null;
    throw error;
  }
}
