// @module-tag full
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { quickest, settingsOf } from '../support/backends.ts';
import { openOperatorSide } from '../support/operator.ts';
import { killLeftovers, startServiceProcess } from '../support/processes.ts';
import { startSmtpServer } from '../support/smtp.ts';

afterAll(() => killLeftovers());

/** `fetch` doesn't allow setting the Host header. */
async function send(url: string, path: string, host: string, fields: Record<string, string>) {
  const sent = request(url + path, {
    method: 'POST',
    headers: {
      host,
      // A test can use http for every host except the public one, which needs https.
      origin: `${host === 'access.example' ? 'https' : 'http'}://${host}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  sent.end(new URLSearchParams(fields).toString());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}

test('a mailed sign-in link has the configured address and works there, whatever Host header the request had', async () => {
  const [{ storage, release }, smtp] = [await quickest.open(), await startSmtpServer()];
  const email = 'dana@juniper.example';
  const side = await openOperatorSide(settingsOf(storage));
  const company = await side.fixtures.company();
  await side.operator.addContact({ companyId: company.id, email, invite: false });
  await side.close();
  const service = await startServiceProcess({
    ...settingsOf(storage),
    SMTP_URL: smtp.url,
    MAIL_FROM: 'access@access.example',
    PUBLIC_URL: 'https://access.example',
  });
  const asked = await send(service.url, '/desk/sign-in', 'evil.example', { email });
  expect(asked.statusCode).toBe(200);
  const isLink = ({ source }: { source: string }) => source.includes('/desk/sign-in/confirm');
  await expect.poll(() => smtp.received.filter(isLink).length).toBe(1);
  const [mail] = smtp.received.filter(isLink);
  expect(mail?.to).toEqual([email]);
  const source = (mail?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  expect(source).not.toContain('evil.example');
  const token = /https:\/\/access\.example\/desk\/sign-in\/confirm\?token=(\w+)/.exec(source)?.[1];
  const path = '/desk/sign-in/confirm';
  const signedIn = await send(service.url, path, 'access.example', { token: token ?? '' });
  expect(signedIn.statusCode).toBe(303);
  expect(signedIn.headers['set-cookie']?.[0]).toMatch(
    /^__Host-portfolio_desk=svc_ds_\w{32}; Path=\/; .*HttpOnly; Secure/,
  );
  await service.stop();
  expect(service.output()).not.toContain(token);
  await smtp.close();
  await release();
});
