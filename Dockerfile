# docker build -t forest-align . && docker run -p 127.0.0.1:8000:8000 forest-align
# docker run -p 127.0.0.1:8000:8000 forest-align serve --host 0.0.0.0 --workers 4
# docker run -i forest-align align - < pairs.tsv > alignments.jsonl
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++
COPY . /src
WORKDIR /src
RUN python -m venv /opt/forest-align && . /opt/forest-align/bin/activate && \
    pip() { command pip install --no-cache-dir --no-deps --no-build-isolation "$@"; } && \
    { pip --require-hashes --index-url https://download.pytorch.org/whl/cpu -r locks/torch.txt || \
      pip --require-hashes -r locks/torch.txt; } && \
    pip --require-hashes -r locks/container.txt && pip .
FROM python:3.11-slim
COPY --from=build /opt/forest-align /opt/forest-align
USER nobody
EXPOSE 8000
ENTRYPOINT ["/opt/forest-align/bin/forest-align"]
CMD ["serve", "--host", "0.0.0.0"]
