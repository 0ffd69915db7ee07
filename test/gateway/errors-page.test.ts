import { expect, it } from 'vitest';
import { errorAnswers, errorCodes } from '#http';
import { renderErrorsPage } from '../../gateway/docs/errors-page.ts';

it('the page of error codes has exactly one anchor per code', () => {
  const anchors = [...renderErrorsPage().matchAll(/<section id="(\w+)">/g)].map(([, id]) => id);
  expect(anchors).toEqual(errorCodes);
});

it('the page of error codes explains what to do about each, with none of our mark-up in it', () => {
  const page = renderErrorsPage();
  for (const { remedy } of Object.values(errorAnswers)) {
    expect(page).toContain(
      remedy.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    );
  }
});
