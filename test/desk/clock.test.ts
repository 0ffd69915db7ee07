import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { signIn } from './desk.ts';

test('pages go by the clock that the rules go by, not by that of the machine', async () => {
  const now = new Date('2031-03-30T12:00:00Z');
  const service = await startService({
    storage: { memory: true },
    isReachedDirectly: true,
    replace: () => ({ clock: { now: () => now } }),
  });
  try {
    const company = await service.fixtures.company();
    const contact = await signIn(service, company.id);
    const { text } = await contact.get('/desk/settings/keys');
    expect(text).toContain('min="2031-03-31"');
  } finally {
    await service.close();
  }
});
