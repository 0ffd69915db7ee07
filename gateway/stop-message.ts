/** What the first process says to a worker that is to finish what runs and end. */
export const stopMessage = 'stop';
