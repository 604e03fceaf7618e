import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ProxyTracerProvider,
  propagation,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ToolwrightError } from './errors.ts';

/** The attributes of a span. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The part of OpenTelemetry's `Span` that Toolwright uses. */
export interface TraceSpan {
  setAttribute(name: string, value: string | number | boolean): this;
  setAttributes(attributes: TraceAttributes): this;
  setStatus(status: { readonly code: number }): this;
  updateName(name: string): this;
}

/** OpenTelemetry's `Context`. */
export interface TraceContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TraceContext;
  deleteValue(key: symbol): TraceContext;
}

/** The options of a span. */
export interface SpanOptions {
  /** A `SpanKind` of OpenTelemetry. Default: internal. */
  readonly kind?: number;
  readonly attributes?: TraceAttributes;
  /** The parent of the span. Default: the active context. */
  readonly parent?: TraceContext;
}

/** The fields of W3C Trace Context. Baggage is not sent: servers must not see it. */
export interface TraceFields {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

const TRACER = 'toolwright';
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/**
 * Runs `work` in an active span, and ends the span. An error sets the status and `error.type` (the code of a
 * `ToolwrightError`). Spans contain no messages, which may contain personal data. Without an OpenTelemetry SDK in the
 * process it only runs `work`.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: TraceSpan) => Promise<T>): Promise<T> {
  if (!isTraced()) return work(NO_SPAN);
  const { parent = context.active(), kind, attributes } = options;
  const settings = { kind, attributes };
  const span = trace.getTracer(TRACER).startSpan(name, settings, parent);
  if (!isSpanContextValid(span.spanContext())) return work(span);
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error instanceof ToolwrightError ? error.code : 'INTERNAL');
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Returns whether this process has an OpenTelemetry SDK. A span without one would create three objects for nothing. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(TRACER) !== undefined;
}

/** Marks a span as failed. `errorType` is an error code, not a message. */
export function failSpan(span: TraceSpan, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Adds attributes to the active span, if there is one. */
export function describeSpan(attributes: TraceAttributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** Returns the fields of the active trace, for the next request; no fields outside a trace. */
export function traceFields(): TraceFields {
  const carrier: { traceparent?: string; tracestate?: string } = {};
  propagation.inject(context.active(), carrier);
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return {};
  return { traceparent, tracestate };
}

/** Returns the trace context of a caller's fields, or the active context without them. */
export function callerContext({ traceparent, tracestate }: Readonly<Record<string, unknown>>): TraceContext {
  if (typeof traceparent !== 'string') return context.active();
  const carrier = { traceparent, tracestate: typeof tracestate === 'string' ? tracestate : undefined };
  return propagation.extract(context.active(), carrier);
}
