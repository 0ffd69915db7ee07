import { expect, it } from 'vitest';
import { describeDevice } from '../../desk/pages/sign-in.ts';
import { browse, describeDesk, signIn, visit } from './desk.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

it.each([
  [firefox, 'Firefox, Linux'],
  [iPhone, 'Safari, iOS'],
  [`${firefox} ${'x'.repeat(4_000)}`, 'Firefox, Linux'],
  ['<b>evil</b>/1 (evil)', null],
  ['', null],
  [undefined, null],
])(
  'the user agent %j is described only with known names of browsers and systems',
  (userAgent, device) => {
    expect(describeDevice(userAgent)).toBe(device);
  },
);

describeDesk('sessions', (given) => {
  /** Three sessions of one address, the last one in another browser. */
  async function three() {
    const service = given();
    const company = await service.fixtures.company();
    const here = await signIn(service, company.id);
    const { email } = here;
    const there = await signIn(service, company.id, email);
    const { token } = await service.operator.createSignInLink({ companyId: company.id, email });
    const elsewhere = browse(service, { 'user-agent': `${firefox} ${'x'.repeat(500)}` });
    const { headers } = await elsewhere.post('/desk/sign-in/confirm', { token });
    const [session = ''] = /svc_ds_\w+/.exec(headers.getSetCookie().join()) ?? [];
    return { service, company, here, there, elsewhere: visit(service, email, session) };
  }

  it('are listed with a known browser name, and the current session is marked', async () => {
    const { here, elsewhere } = await three();
    const { text } = await here.get('/desk/sessions');
    expect(text).toContain('<bdi>Firefox, Linux</bdi>');
    expect(text.split('this session')).toHaveLength(2);
    expect(text.split('action="/desk/sessions/end"')).toHaveLength(3);
    expect((await elsewhere.get('/desk/sessions')).text.split('this session')).toHaveLength(2);
  });

  it('can be ended one by one, and an ended session fails at the next click', async () => {
    const { here, there, elsewhere } = await three();
    const ended = await here.fill('/desk/sessions', '/end');
    expect(ended.location).toBe('/desk/sessions?done=ended');
    expect((await elsewhere.get('/desk/')).status).toBe(303);
    for (const visitor of [here, there]) expect((await visitor.get('/desk/')).status).toBe(200);
  });

  it('can all be ended except the current session', async () => {
    const { here, there, elsewhere } = await three();
    await here.fill('/desk/sessions', '/end-others');
    for (const visitor of [there, elsewhere]) {
      expect((await visitor.get('/desk/')).location).toBe('/desk/sign-in?because=ended');
    }
    const left = await here.get('/desk/sessions?done=ended');
    expect(left.text).toContain('You aren’t signed in anywhere else');
  });
});
