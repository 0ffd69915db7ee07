import { expect, it } from 'vitest';
import { isNewsMail } from '#core';
import { createMessage } from '../../../gateway/mail/message.ts';
import { importLines } from '../../support/fixtures.ts';
import { aValue, describeDesk, signIn, signInInvestor } from '../desk.ts';

const hostile = `"'><svg onload=alert(1)><!--\${7*7}`;
const links = { docs: null, desk: 'https://access.example/desk' };

const figure = (companyId: string) =>
  aValue(companyId, {
    ...{
      label: hostile,
      category: hostile,
      confidence: hostile,
      currency: 'USD',
      raw_value: 1,
      value: `1 ${hostile.replaceAll(/\d/g, '')}`,
    },
    source: { system: hostile, method: hostile, last_synced: '2026-11-01T00:00:00Z' },
  });

describeDesk('hostile text from an investor or a company', (given) => {
  it('is shown as text on every page of both sides, and in every mail', async () => {
    const { operator, fixtures, ...service } = given();
    const investor = await fixtures.investor();
    const company = await fixtures.companyOf(investor, hostile);
    await operator.renameInvestor({ id: investor.id, name: hostile });
    await importLines(operator, [figure(company.id)]);
    const { key, keyId } = await fixtures.key(investor);
    await operator.renameApiKey({ id: keyId, name: hostile });
    const asked = await service.post('/v1/access-requests', key, {
      company_id: company.id,
      scopes: ['metrics:read', 'sources:read', 'accounts:read'],
      purpose: hostile,
    });
    const id: string = asked.body.id;
    await operator.approveAccessRequest({ id });
    const url = `https://hooks.example.com/?${encodeURI(hostile)}`;
    const own = await operator.addWebhook({ investorId: investor.id, url });
    const theirs = await operator.addWebhook({ companyId: company.id, url });
    await operator.createCompanyKey({ companyId: company.id, name: hostile });
    await service.get(`/v1/companies/${company.id}/metrics`, key);
    const [person, contact] = [
      await signInInvestor(given(), investor.id),
      await signIn(given(), company.id),
    ];
    const q = encodeURIComponent(hostile);
    const address = `/desk/portfolio/${company.id}`;
    const settings = ['', '/keys', '/webhooks', '/log'].map((each) => `/desk/settings${each}`);
    const ofInvestor = [
      ...['/desk/portfolio', `/desk/portfolio?search=${q}&metric=${q}&access=${q}`],
      ...[address, `${address}/metrics/arr`, `${address}/metrics/${q}`, `/desk/portfolio/${q}`],
      ...[
        `/desk/compare?company=${company.id}&metric=arr`,
        `/desk/compare?company=${q}&search=${q}`,
      ],
      ...['/desk/requests', `/desk/requests?status=${q}`, `/desk/requests/${id}`],
      ...[`/desk/requests/${id}/receipts`, `/desk/requests/${id}/withdraw`],
      ...['/desk/activity', `/desk/activity?who=${q}&company=${q}&request=${q}&since=${q}`],
      ...[
        '/desk/settings/usage',
        '/desk/settings/mails?done=saved',
        `/desk/settings/keys/${keyId}/rotate`,
      ],
      ...[`/desk/settings/webhooks/${own.endpoint.id}`, `/desk/settings/webhooks?done=${q}`],
    ];
    const ofCompany = [
      ...['/desk/', '/desk/requests', `/desk/requests/${id}`, `/desk/requests/${id}/receipts`],
      ...['/desk/grants', '/desk/activity', `/desk/activity?investor=${q}&since=${q}`],
      ...['/desk/data', '/desk/data/metrics/arr', `/desk/data?done=${q}`],
      `/desk/settings/webhooks/${theirs.endpoint.id}`,
    ];
    let shown = 0;
    for (const [visitor, paths] of [
      [person, [...ofInvestor, ...settings]],
      [contact, [...ofCompany, ...settings]],
    ] as const) {
      for (const path of paths) {
        const { text, status } = await visitor.get(path);
        expect(status, path).toBeLessThan(500);
        expect(text, path).not.toContain('<svg onload');
        expect(text, path).not.toContain(`="${hostile.slice(0, 2)}`);
        if (text.includes('&lt;svg onload')) shown += 1;
      }
    }
    expect(shown).toBeGreaterThan(20);
    const { mails } = await operator.listMails({ limit: 100 });
    expect(mails.length).toBeGreaterThan(0);
    for (const mail of mails.filter((each) => !isNewsMail(each))) {
      const { subject, html, text } = createMessage(mail, links);
      expect(html, mail.kind).not.toContain('<svg');
      expect(subject + text.split('\n', 1)[0], mail.kind).not.toMatch(/[\r\n]/);
    }
  });
});
