import { describe, expect, it } from 'vitest';
import { csvCell, csvLines } from '$lib/csv';
import { deliveryState, explainAttempt, sign } from '../src/pages/delivery/webhooks/deliveries';
import { baseType, describeEvent, groupShapes, groupTypes } from '$lib/events';
import { failureOf, toFailure } from '$lib/api/failure';
import { daysOf, isFiltered, periodOf, toParameters } from '../src/pages/calls/filters';
import { groupTwins } from '../src/pages/platform/phone/event-feed';
import { mergeThread } from '../src/pages/platform/phone/thread';
import {
  buildRequest,
  missingPath,
  sessionUrl,
  type ReferenceOperation,
} from '../src/pages/platform/api-reference/reference';
import { parseHeaders, writeHeaders } from '../src/pages/delivery/webhooks/headers';

describe('failures', () => {
  it('uses the message of the server, and words where there is none', () => {
    expect(
      failureOf(400, { message: 'url: not allowed', reason: 'invalid_parameter', parameter: 'url' }, 'r1'),
    ).toMatchObject({ message: 'Not allowed', parameter: 'url', requestId: 'r1' });
    expect(failureOf(404, { message: 'There is no such call' }, null).message).toBe('There is no such call');
    expect(failureOf(502, null, null).message).toContain('502');
    expect(toFailure(new TypeError('fetch failed')).reason).toBe('offline');
  });
});

describe('call filters', () => {
  const now = new Date(2026, 10, 16, 12);

  it('has thirty days as the default and keeps it out of the address', () => {
    const query = new URLSearchParams();
    expect(periodOf(query)).toBe('30');
    expect(daysOf(query, now)).toEqual({ first: '2026-10-18', last: null });
    expect(isFiltered(query)).toBe(false);
  });

  it('turns days of the viewer into instants, the last day whole', () => {
    const parameters = toParameters(
      new URLSearchParams('start_date=2026-11-01&end_date=2026-11-01&direction=inbound&min_duration=30'),
      now,
    );
    const length = Date.parse(parameters.end_date ?? '') - Date.parse(parameters.start_date ?? '');
    expect(length).toBe(86_400_000 - 1);
    expect(parameters).toMatchObject({ direction: 'inbound', min_duration: '30' });
  });

  it('has no dates for all time', () => {
    expect(toParameters(new URLSearchParams('period=all'), now)).toEqual({});
  });
});

describe('csv', () => {
  it('quotes and disarms formulas', () => {
    expect(csvCell('a,"b"')).toBe('"a,""b"""');
    expect(csvCell('=1+1')).toBe("'=1+1");
    expect(csvCell('\n=1+1')).toBe('"\'\n=1+1"');
    expect(csvCell('＝1+1')).toBe("'＝1+1");
    expect(csvCell('\ufeff=1+1')).toBe("'\ufeff=1+1");
    expect(csvCell(-5)).toBe('-5');
    expect(
      csvLines([
        ['a', null],
        [1, 'x\ny'],
      ]),
    ).toBe('a,\r\n1,"x\ny"\r\n');
  });
});

describe('events', () => {
  it('puts the shapes of one event together', () => {
    expect(groupShapes(['message', 'call.status', 'message_bsuid', 'message_v2_bsuid'])).toEqual([
      ['message', 'message_bsuid', 'message_v2_bsuid'],
      ['call.status'],
    ]);
  });

  it('finds the base of a type and keeps twins together', () => {
    expect(baseType('sessionMessageSent_v2_bsuid')).toBe('sessionMessageSent');
    const groups = groupTypes([
      'message',
      'ctaUrlClicked',
      'call.status',
      'message_bsuid',
      'ctaUrlClicked_bsuid',
      'somethingNew',
    ]);
    expect(groups[0]).toEqual({ group: 'incoming', types: ['message', 'message_bsuid'] });
    expect(groups.find((one) => one.group === 'clicks')?.types).toEqual([
      'ctaUrlClicked',
      'ctaUrlClicked_bsuid',
      'call.status',
    ]);
    expect(groups.find((one) => one.group === 'server')?.types).toEqual(['somethingNew']);
  });

  it('says whom an event is about', () => {
    expect(describeEvent({ senderName: 'Ada', text: 'Hi' })).toEqual({ who: 'Ada', what: 'Hi' });
    expect(describeEvent({ waId: '14155550132', displayText: 'Track it', text: 'body' })).toEqual({
      who: '+14155550132',
      what: 'Track it',
    });
    expect(describeEvent({ username: 'ada.winter', templateName: 'order_ready' })).toEqual({
      who: '@ada.winter',
      what: 'order_ready',
    });
    expect(describeEvent(null)).toEqual({ who: '', what: '' });
  });

  it('makes one entry of twins', () => {
    const event = (number: number, type: string, bsuid = 'US.1') => ({
      number,
      id: String(number),
      type,
      created: '2026-11-16T10:00:00.000Z',
      payload: { bsuid },
    });
    const groups = groupTwins(
      [
        event(4, 'ctaUrlClicked_bsuid'),
        event(3, 'ctaUrlClicked'),
        event(2, 'message', 'US.2'),
        event(1, 'message_bsuid'),
      ],
      ['US.1', '14155550132'],
    );
    expect(groups.map((group) => group.events.map((one) => one.number))).toEqual([[4, 3], [1]]);
  });
});

describe('deliveries', () => {
  const delivery = { id: '1', number: 1, type: 'message', attempts: 1, first_attempt: '', last_attempt: '' };

  it('says what became of one', () => {
    expect(deliveryState({ ...delivery, state: 'delivered', response_status: 204 })).toEqual({
      label: '204',
      tone: 'ok',
    });
    expect(deliveryState({ ...delivery, state: 'delivered', attempts: 2, response_status: 200 })).toEqual({
      label: '200 after retry',
      tone: 'warn',
    });
    expect(deliveryState({ ...delivery, state: 'retrying' })).toEqual({ label: 'no response', tone: 'bad' });
  });

  it('explains causes', () => {
    expect(explainAttempt({ error_code: 'redirect', response_status: 301 })).toContain('Redirects');
    expect(explainAttempt({ error_code: 'not_resolved' })).toContain('host name');
    expect(explainAttempt({ error_code: 'timeout' })).toContain('15 seconds');
    expect(explainAttempt({ error_code: 'refused' })).toContain('listening');
    expect(explainAttempt({ error_code: 'status', response_status: 500 })).toContain('endpoint failed');
    expect(explainAttempt({ error_code: 'status', response_status: 403 })).toContain('credential');
    expect(explainAttempt({ error_code: 'other' })).toBeNull();
    expect(explainAttempt({ response_status: 200 })).toBeNull();
  });

  it('signs as Standard Webhooks does', async () => {
    // The example of the Standard Webhooks libraries.
    const signature = await sign(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330,
      '{"test": 2432232314}',
    );
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('reads and writes headers', () => {
    expect(parseHeaders('x-team: crm\n\n x-key : a:b ')).toEqual({ 'x-team': 'crm', 'x-key': 'a:b' });
    expect(writeHeaders({ 'x-team': '***' })).toBe('x-team: ***');
  });
});

describe('the phone', () => {
  it('puts both sides in order', () => {
    const inbox = [
      { id: 'b', from: '1', text: 'two', body: 'two', buttons: [], received_at: '2026-11-16T10:00:02.000Z' },
    ];
    const own = [
      { id: 'a', text: 'one', at: '2026-11-16T10:00:01.000Z', type: 'text' },
      { id: 'c', text: 'three', at: '2026-11-16T10:00:03.000Z', type: 'text' },
    ];
    expect(mergeThread(inbox, own).map((bubble) => bubble.id)).toEqual(['a', 'b', 'c']);
  });

  it('puts messages of the same second in order', () => {
    const sent = {
      id: 'sent',
      from: '',
      text: '',
      body: '',
      buttons: [],
      received_at: '2026-11-16T09:00:40.700Z',
      read_at: null,
    };
    const own = ['40.100', '40.250', '40.250', '40.900'].map((second, index) => ({
      id: `own ${index}`,
      text: '',
      at: `2026-11-16T09:00:${second}Z`,
      type: 'text',
    }));
    const ids = mergeThread([sent], own).map((bubble) => bubble.id);
    expect(ids).toEqual(['own 0', 'own 1', 'own 2', 'sent', 'own 3']);
  });
});

describe('the reference', () => {
  const operation: ReferenceOperation = {
    id: 'x',
    method: 'GET',
    path: '/api/ext/v3/calls/{id}',
    summary: '',
    tag: '',
    anyOf: [],
    roles: [],
    byToken: true,
    feature: null,
    description: '',
    parameters: [
      { name: 'id', in: 'path', required: true, description: '', type: 'string', values: null },
      { name: 'limit', in: 'query', required: false, description: '', type: 'integer', values: null },
    ],
    body: null,
    answer: null,
  };

  it('fills in a request and knows what is missing', () => {
    const empty = buildRequest(operation, 'https://wa.example.com', {}, '', '100138');
    expect(missingPath(empty)).toBe(true);
    const filled = buildRequest(operation, 'https://wa.example.com', { id: 'a/b', limit: '5' }, '', '100138');
    expect(filled.url).toBe('https://wa.example.com/api/ext/v3/calls/a%2Fb?limit=5');
    expect(missingPath(filled)).toBe(false);
    expect(sessionUrl(filled.url)).toBe('https://wa.example.com/console/api/calls/a%2Fb?limit=5');
  });
});
