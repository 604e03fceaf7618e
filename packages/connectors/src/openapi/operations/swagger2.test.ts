import { expect, test } from 'vitest';
import { descriptionFile } from '../../../../../test/fixtures/api-descriptions.ts';
import { sendJson, startApi } from '../../../../../test/fixtures/api-server.ts';
import { openApiConnector } from '../openapi.ts';

const YAML = `
swagger: "2.0"
info: { title: Pets }
schemes: [http]
host: HOST
basePath: /v2
consumes: [application/json]
produces: [application/json]
parameters:
  limit: { in: query, name: limit, type: integer, maximum: 10, exclusiveMaximum: true }
paths:
  /pets:
    parameters:
      - $ref: '#/parameters/limit'
    get:
      operationId: findPets
      summary: Finds pets.
      deprecated: true
      parameters:
        - { in: query, name: tags, type: array, items: { type: string } }
        - { in: query, name: ids, type: array, items: { type: integer }, collectionFormat: multi }
      responses:
        200: { description: found, schema: { type: array, items: { $ref: '#/definitions/Pet' } } }
    post:
      operationId: addPet
      parameters:
        - { in: body, name: pet, required: true, schema: { $ref: '#/definitions/Pet' } }
      responses:
        201: { description: added, schema: { $ref: '#/definitions/Pet' } }
        204: { description: nothing }
  /pets/{id}/photo:
    put:
      operationId: setPhoto
      consumes: [multipart/form-data]
      parameters:
        - { in: path, name: id, type: integer, required: true }
        - { in: formData, name: photo, type: file, required: true }
        - { in: formData, name: title, type: string }
definitions:
  Pet:
    type: object
    required: [name, id]
    properties:
      id: { type: integer, readOnly: true }
      name: { type: string }
      secret: { type: string, x-nullable: true }
      parent: { $ref: '#/definitions/Pet' }
`;

test('a description of Swagger 2 in YAML', async () => {
  await using server = await startApi(({ path, body }, response) =>
    sendJson(response, { path, body: body.toString() }),
  );
  const openapi = descriptionFile(YAML.replace('HOST', server.origin.slice('http://'.length)), 'pets.yaml');
  await using connector = openApiConnector('pets', { openapi });
  const [find, add, photo] = await connector.tools();
  expect(connector.description).toBe('Pets');
  expect(find).toMatchObject({
    name: 'findPets',
    description: 'Deprecated.\n\nFinds pets.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      properties: { limit: { type: 'integer', exclusiveMaximum: 10 }, tags: { type: 'array' } },
      additionalProperties: false,
    },
    outputSchema: { type: 'array', items: { $ref: '#/$defs/Pet' }, $defs: { Pet: { required: ['name', 'id'] } } },
  });
  expect(add?.inputSchema).toMatchObject({ required: ['name'], properties: { secret: { type: ['string', 'null'] } } });
  expect(Object.keys(Object(Object(add?.inputSchema).properties))).toEqual(['limit', 'name', 'secret', 'parent']);
  expect(add?.outputSchema).toMatchObject({ anyOf: [{ $ref: '#/$defs/Pet' }, { type: 'null' }] });
  expect(photo).toMatchObject({
    annotations: { idempotentHint: true },
    inputSchema: { required: ['id', 'photo'], properties: { photo: { anyOf: [{ type: 'string' }, {}] } } },
  });

  await connector.call('findPets', { limit: 3, tags: ['a', 'b'], ids: [1, 2] });
  expect(server.seen[0]?.path).toBe('/v2/pets?limit=3&tags=a%2Cb&ids=1&ids=2');
  expect(await connector.call('addPet', { name: 'Rex' })).toEqual({ path: '/v2/pets', body: '{"name":"Rex"}' });
  await connector.call('setPhoto', { id: 1, photo: 'text of the file', title: 't' });
  expect(server.seen[2]).toMatchObject({ method: 'PUT', path: '/v2/pets/1/photo' });
  expect(server.seen[2]?.body.toString()).toMatch(
    /name="photo"; filename="photo"[\s\S]*text of the file[\s\S]*name="title"/,
  );
});
