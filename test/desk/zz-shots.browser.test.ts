import { mkdirSync } from 'node:fs';
import { it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { enter, openChromium, findAxeViolations, overflowOf, watchPage } from './chromium.ts';
import { describeDesk, signInInvestor } from './desk.ts';

const names = ['Alder & Quay Robotics', 'Birch Payments', 'Cedar Health', 'Dahlia Logistics GmbH', 'Elm Analytics', 'Fir Biosciences', 'Gorse Energy', 'Hazel Education', 'Iris Insurance', 'Juniper Foods', 'Kite Aerospace', 'Larch Security', 'Maple Mobility', 'Nettle Retail', 'Oak Media', 'Pine Storage', 'Quince Travel', 'Rowan Legal', 'Sorrel Water', 'Thistle Games', 'Ulex Capital', 'Violet Labs', 'Willow Homes', 'Yew Bank', 'Zinnia Beauty', 'Zz Top', 'Zzz'];
describeDesk('shots', (given) => {
  it('are taken', { timeout: 600_000 }, async () => {
    const service = given();
    const investor = await service.operator.createInvestor({ name: 'Northlight Ventures', environment: 'live', sandbox: false });
    const { key } = await service.fixtures.key(investor);
    const ids: string[] = [];
    for (const [index, name] of names.entries()) {
      const company = await service.fixtures.companyOf(investor, name);
      ids.push(company.id);
      if (index % 5 === 4) continue;
      const { id } = await service.fixtures.request(key, company.id, index % 4 === 2 ? ['metrics:read'] : undefined);
      if (index % 5 === 3) continue;
      const currency = ['USD', 'EUR', 'GBP'][index % 3];
      const metric = (k: string, label: string, month: number, raw: number, money = true) => ({ type: 'metric', company_id: company.id, key: k, label, ...(money && { currency }), period: new Date(Date.UTC(2025, 9 + month + 1, 0)).toISOString().slice(0, 10), raw_value: Math.round(raw), source: { system: ['mercury', 'xero', 'gusto'][index % 3], method: 'api', last_synced: new Date(Date.now() - (index + 1) * 5 * 3600_000).toISOString() }, confidence: 'high', category: 'finance', verification: { verified: index % 2 === 0 } });
      const lines = [];
      for (let month = 0; month < 13; month += 1) {
        lines.push(metric('cash_balance', 'Cash balance', month, 4_200_000 - month * 180_000 + index * 40_000 * Math.sin(month)));
        lines.push(metric('burn_rate', 'Burn rate', month, 150_000 + 9_000 * Math.cos(month + index)));
        lines.push(metric('headcount', 'Headcount', month, 20 + index + month, false));
        lines.push(metric('arr', 'Annual recurring revenue', month, 900_000 * 1.06 ** month + index * 20_000));
        if (index % 2 === 0) lines.push(metric('net_income', 'Net income', month, (month - 6) * 20_000));
      }
      await importLines(service.operator, [...lines, ...sampleData(company.id).filter(({ type }: { type: string }) => type !== 'metric')]);
      await service.operator.approveAccessRequest({ id });
      if (name.startsWith('Kite')) await service.operator.revokeAccessRequest({ id, reason: 'The round is closed. Please write to us if you need the annual report.' });
    }
    const person = await signInInvestor(service, investor.id, 'ana@northlight.example');
    const browser = await openChromium();
    mkdirSync('/tmp/if-shots', { recursive: true });
    const pages: Record<string, string> = { portfolio: '/desk/portfolio', company: `/desk/portfolio/${ids[2]}`, full: `/desk/portfolio/${ids[0]}`, none: `/desk/portfolio/${ids[4]}`, revoked: `/desk/portfolio/${ids[10]}`, metric: `/desk/portfolio/${ids[0]}/metrics/cash_balance`, ...(process.env.SHOTS_COMPARE && { compare: `/desk/compare?metric=cash_balance&${[0, 1, 2, 5, 6, 7].map((i) => `company=${ids[i]}`).join('&')}`, comparing: '/desk/compare' }) };
    for (const [width, scheme, locale] of [[390, 'light', 'de-DE'], [1280, 'light', 'en-GB'], [1920, 'dark', 'en-GB']] as const) {
      const context = await browser.newContext({ viewport: { width, height: 1000 }, locale, colorScheme: scheme });
      await enter(context, service.url, person);
      const page = await context.newPage();
      const complaints = watchPage(page, service.url);
      for (const [name, path] of Object.entries(pages)) {
        if (process.env.SHOTS && !process.env.SHOTS.split(',').includes(name)) continue;
        await page.goto(service.url + path);
        await page.waitForTimeout(400);
        await page.screenshot({ path: `/tmp/if-shots/${name}-${width}.png`, fullPage: true });
        const axe = await findAxeViolations(page);
        console.error(name, width, 'overflow', await overflowOf(page), axe, complaints.splice(0), (await page.content()).length);
      }
      await context.close();
    }
  });
});
