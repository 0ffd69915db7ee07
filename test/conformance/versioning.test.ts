import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

conformance('versioning', (service) => {
  const { get, fixtures } = service;

  it('the path begins with the version v1, and other versions or none return 404', async () => {
    const { key } = await fixtures.portfolio();
    for (const path of ['/companies', '/v2/companies', '/v1.0/companies', '/V1/companies', '/v1']) {
      expectRefusal(await get(path, key), 'route_not_found');
    }
    expectOk(await get('/v1/companies', key));
  });

  it('the document describes version 1.0.0', async () => {
    const answer = await service.get('/v1/openapi.json');
    expectOk(answer);
    expect(answer.body.info.version).toBe('1.0.0');
  });
});
