# docker build -t forest-align . && docker run -p 127.0.0.1:8000:8000 forest-align
# docker run -p 127.0.0.1:8000:8000 forest-align serve --host 0.0.0.0 --workers 4
# docker run -i forest-align align - < pairs.tsv > alignments.jsonl
# With torch, to train and tune: docker build --target training -t forest-align:training .
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++
COPY . /src
WORKDIR /src
# The build needs packages that the environment of the image does not.
RUN python -m venv /build && \
    /build/bin/pip install --no-cache-dir --no-deps --require-hashes -r locks/container.txt && \
    /build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . && \
    python -m venv --without-pip /opt/forest-align && \
    pip --python /opt/forest-align install --no-cache-dir --no-deps --require-hashes -r locks/serving.txt && \
    pip --python /opt/forest-align install --no-cache-dir --no-deps /wheels/*.whl && \
    find /opt/forest-align/lib -type d -name tests -prune -exec rm -r {} +

FROM build AS build-training
RUN pip() { command pip --python /opt/forest-align install --no-cache-dir --no-deps --require-hashes "$@"; } && \
    { pip --index-url https://download.pytorch.org/whl/cpu -r locks/torch.txt || pip -r locks/torch.txt; } && \
    pip -r locks/container.txt

FROM python:3.11-slim AS base
USER nobody
EXPOSE 8000
ENTRYPOINT ["/opt/forest-align/bin/forest-align"]
CMD ["serve", "--host", "0.0.0.0"]

FROM base AS training
COPY --from=build-training /opt/forest-align /opt/forest-align

FROM base
COPY --from=build /opt/forest-align /opt/forest-align
