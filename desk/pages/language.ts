import { setLanguage } from '../cookies.ts';
import { languages } from '../messages/index.ts';
import type { Route } from '../route.ts';
import { safePagePath } from '../security.ts';

export const languageRoutes: Route[] = [
  {
    method: 'POST',
    path: '/language',
    access: 'open',
    async handle({ form, reply }) {
      const wanted = form.text('language') ?? '';
      if (languages.has(wanted)) setLanguage(reply, wanted);
      return { to: safePagePath(form.text('back')) };
    },
  },
];
