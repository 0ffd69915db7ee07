import { expect, it } from 'vitest';
import type { DeskContext } from '../../desk/context.ts';
import { languages } from '../../desk/messages/index.ts';
import { errorPage } from '../../desk/pages/errors.ts';

it.each([...languages.values()])(
  'the title of an error page describes the error in the language $tag',
  (language) => {
    const context = { language, request: { id: 'req_1' } } as DeskContext;
    const { errors } = language.m;
    const told = (['access_revoked', 'insufficient_role', 'origin_not_allowed'] as const).map(
      (code) => errorPage(context, { code }),
    );
    expect(told.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(told.map(({ title }) => title)).toEqual([
      errors.deniedTitle,
      errors.roleTitle,
      errors.forbiddenTitle,
    ]);
  },
);
