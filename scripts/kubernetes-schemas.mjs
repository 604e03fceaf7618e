// Writes test/fixtures/data/kubernetes-schemas.json: JSON schemas of the Kubernetes resources that deploy/kubernetes uses, for
// test/deploy and for the API server of the tests. Its sources are the npm packages whose types are generated from the
// published OpenAPI documents and custom resource definitions. Unknown fields do not match.
//   npm install --prefix /tmp/models kubernetes-models@5.1.0 @kubernetes-models/keda@2.0.0 @kubernetes-models/external-secrets@2.0.0
//   node scripts/kubernetes-schemas.mjs /tmp/models/node_modules
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const TARGET = fileURLToPath(new URL('../test/fixtures/data/kubernetes-schemas.json', import.meta.url));
/** The kinds of documents: API version, kind, and the module with its type. */
const KINDS = [
  ...[
    'ConfigMap',
    'Namespace',
    'PersistentVolumeClaim',
    'Pod',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ].map((kind) => ['v1', kind, 'kubernetes-models']),
  ['apps/v1', 'Deployment', 'kubernetes-models'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', 'kubernetes-models'],
  ['batch/v1', 'Job', 'kubernetes-models'],
  ['coordination.k8s.io/v1', 'Lease', 'kubernetes-models'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'kubernetes-models'],
  ['policy/v1', 'PodDisruptionBudget', 'kubernetes-models'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'kubernetes-models'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'kubernetes-models'],
  ['keda.sh/v1alpha1', 'ScaledObject', '@kubernetes-models/keda'],
  ['keda.sh/v1alpha1', 'TriggerAuthentication', '@kubernetes-models/keda'],
  ['external-secrets.io/v1', 'ExternalSecret', '@kubernetes-models/external-secrets'],
];
/** Types of Kubernetes that are written as another type of JSON. */
const SCALARS = {
  IIoK8sApimachineryPkgApiResourceQuantity: { type: ['string', 'number'] },
  IIoK8sApimachineryPkgUtilIntstrIntOrString: { type: ['string', 'integer'] },
  IIoK8sApimachineryPkgApisMetaV1Time: { type: 'string' },
  IIoK8sApimachineryPkgApisMetaV1MicroTime: { type: 'string' },
};

const [folder = ''] = process.argv.slice(2);
const definitions = {};

/** Returns the schema of the exported type `name` of a module, and adds the definitions that it needs. */
function define(module, name) {
  const { program } = parseSync(module, readFileSync(module, 'utf8'));
  const local = exportedAs(program, name);
  const imports = importsOf(program);
  const found = program.body
    .map((statement) => statement.declaration ?? statement)
    .find(({ type, id }) => /^TS(Interface|TypeAlias)Declaration$/.test(type) && id.name === local);
  if (!found) throw new Error(`${module} has no type ${name}`);
  const scope = { module, imports };
  if (found.typeAnnotation) return schemaOf(found.typeAnnotation, scope);
  return objectOf(found.body.body, scope);
}

function exportedAs(program, name) {
  for (const { specifiers = [] } of program.body)
    for (const { exported, local } of specifiers) if (exported?.name === name) return local.name;
  return name;
}

function importsOf(program) {
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration');
  return new Map(
    imports.flatMap(({ source, specifiers }) => specifiers.map(({ local }) => [local.name, source.value])),
  );
}

function objectOf(members, scope) {
  const properties = {};
  const required = [];
  let others = false;
  for (const member of members) {
    if (member.type === 'TSIndexSignature') others = schemaOf(member.typeAnnotation.typeAnnotation, scope);
    else {
      const name = member.key.name ?? member.key.value;
      properties[name] = schemaOf(member.typeAnnotation.typeAnnotation, scope);
      if (!member.optional) required.push(name);
    }
  }
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: others,
  };
}

function schemaOf(node, scope) {
  switch (node.type) {
    case 'TSStringKeyword':
      return { type: 'string' };
    case 'TSNumberKeyword':
      return { type: 'number' };
    case 'TSBooleanKeyword':
      return { type: 'boolean' };
    case 'TSLiteralType':
      return { const: node.literal.value };
    case 'TSTypeLiteral':
      return objectOf(node.members, scope);
    case 'TSUnionType':
      return unionOf(node.types.map((type) => schemaOf(type, scope)));
    case 'TSTypeReference':
      return referenceOf(node, scope);
    case 'TSUnknownKeyword':
    case 'TSAnyKeyword':
    case 'TSObjectKeyword':
      return {};
    default:
      throw new Error(`${scope.module}: ${node.type}`);
  }
}

function unionOf(schemas) {
  return schemas.every((schema) => 'const' in schema)
    ? { enum: schemas.map((schema) => schema.const) }
    : { anyOf: schemas };
}

function referenceOf({ typeName, typeArguments }, scope) {
  const { name } = typeName;
  if (name === 'Array') return { type: 'array', items: schemaOf(typeArguments.params[0], scope) };
  if (SCALARS[name]) return SCALARS[name];
  const key = name.replace(/^IIoK8sApi(machineryPkg(Apis)?)?|^IComGithub/, '');
  if (!definitions[key]) {
    definitions[key] = {};
    definitions[key] = define(moduleOf(scope, name), name);
  }
  return { $ref: `#/definitions/${key}` };
}

function moduleOf({ module, imports }, name) {
  const source = imports.get(name);
  if (!source) return module;
  const path = source.startsWith('.') ? join(dirname(module), source) : join(folder, source);
  return [path.replace(/\.js$/, '.d.ts'), `${path}.d.ts`].find((file) => existsSync(file)) ?? path;
}

const kinds = {};
for (const [apiVersion, kind, source] of KINDS)
  kinds[`${apiVersion} ${kind}`] = define(join(folder, source, apiVersion, `${kind}.d.ts`), `I${kind}`);
writeFileSync(TARGET, `${JSON.stringify({ kinds, definitions })}\n`);
